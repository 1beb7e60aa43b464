// What a page does until its reader has seen a model work, straight at the module's border: opens the demo, steps
// through it, asks for distributions. The functions that run here are the module's first file (split.mjs).
import { readFileSync } from 'node:fs';

const BOS = { kind: 'ids', ids: [1] };
const TEXT = { kind: 'text', text: '민수는 오늘 마을에 hello 123 — 안녕!' };
const PROMPTS = [{ kind: 'lab' }, TEXT, BOS, { kind: 'chat', text: '마을의 특산물은?' }];
const OPTIONS = [1, 0.3, 0.7, 1.5, 0].flatMap((temperature) =>
  [0, 1, 5, 20, 50].flatMap((topK) => [1, 0.99, 0.9, 0.5, 0].map((topP) => ({ temperature, topK, topP }))),
);

/** @param module what minimind.js makes  @param demo the folder of the demo's files, with a slash at its end */
export function open(module, demo) {
  const { exports } = module;
  const place = (bytes) => {
    const at = exports.mm_alloc(bytes.length) >>> 0;
    module.bytes.set(bytes, at);
    return at;
  };
  const text = (string) => place(new TextEncoder().encode(`${string}\0`));
  const file = (name) => {
    const bytes = readFileSync(demo + name);
    return { at: place(bytes), size: bytes.length, name };
  };
  const call = (name, params = {}) => {
    const at = exports.mm_call(text(name), text(JSON.stringify(params))) >>> 0;
    const reply = module.bytes.subarray(at, module.bytes.indexOf(0, at));
    const { value, error } = JSON.parse(new TextDecoder().decode(reply));
    if (error) throw new Error(`${name}: ${error.message}`);
    return value;
  };

  for (const role of ['pretrain', 'sft']) {
    call('load', { role, files: { tokenizer: file('tokenizer.json'), checkpoint: file(`${role}.pth`) } });
  }
  call('loadDocuments', { files: { file: file('pretrain_val.jsonl') } });
  for (const prompt of PROMPTS) {
    call('tokens', { prompt, role: 'pretrain' });
    call('startDecode', { prompt, newTokens: 64 });
    for (let steps = 0; steps < 64; steps += 1) call('step');
    for (const step of [0, 64]) call('distribution', { position: { step }, options: OPTIONS[0], entries: 30 });
    call('rewind', { step: 2 });
    call('step');
  }
  call('steps');
  for (const options of OPTIONS) {
    for (const position of [{ step: 1 }, { prompt: TEXT }]) call('distribution', { position, options, entries: 30 });
  }
  call('kvBytes', { tokens: [1, 264] });
  call('readers', { cardGigabytes: 24, context: 2048, cacheBytesPerValue: 2 });
  exports.mm_used();
  exports.mm_free(exports.mm_resize(exports.mm_alloc(16), 32));
}
