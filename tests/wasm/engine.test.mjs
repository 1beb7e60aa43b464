// The module and the engine in Node: the demo's goldens over the border, errors of every kind, 64-bit seeds,
// cancels, memory that grows and is given back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { bundleClient } from './support/bundle.mjs';
import { demo, root } from './support/paths.mjs';

await bundleClient();
const { bytes, demoEngine, demoRequest, file, golden, newEngine, refusal, run } = await import('./support/engine.mjs');

const engine = await demoEngine();
const greedyOptions = { temperature: 1, topK: 0, topP: 1 };

test('the scene is the lab\'s two runs, to the last token', async () => {
  const start = engine.startDecode({ kind: 'lab' }, 64);
  assert.deepEqual(start.prompt.map((token) => token.id), golden.same.prompt);
  assert.ok(start.prompt.every((token) => token.bytes instanceof Uint8Array));
  const seen = run();
  await engine.stepTo(undefined, seen);
  assert.deepEqual(seen.told.steps.map((step) => step.token.id), golden.same.ids);
  assert.ok(seen.told.steps.every((step) => step.sameToken && step.largestDifference === 0));
  assert.equal(seen.told.steps.at(-1).withCache.fedTotal, golden.count.fed_with_cache);
  assert.equal(seen.told.steps.at(-1).withoutCache.fedTotal, golden.count.fed_without_cache);
  engine.rewind(10);
  const again = run();
  await engine.stepTo(12, again);
  assert.deepEqual(again.told.steps.map((step) => step.token.id), golden.same.ids.slice(10, 12));
});

test('a distribution\'s arrays survive later calls and growing memory', async () => {
  const view = engine.distribution({ prompt: { kind: 'text', text: '민수는' } }, { ...greedyOptions, topP: 0.9 }, 5);
  assert.equal(view.kept, golden.topp[0].survivors['0.9']);
  assert.equal(view.ids.length, 1800);
  const copy = Float32Array.from(view.probabilities);
  const before = engine.module.memoryBytes;
  const held = engine.module.alloc(before);
  assert.ok(engine.module.memoryBytes > before);
  assert.deepEqual(view.probabilities, copy);
  const after = engine.distribution({ prompt: { kind: 'text', text: '민수는' } }, { ...greedyOptions, topP: 0.9 }, 5);
  assert.deepEqual(after.probabilities, copy);
  engine.module.free(held);
  assert.ok(Math.abs(view.probabilities.reduce((sum, p) => sum + p, 0) - 1) < 1e-5);
});

test('answers are the lab\'s, and seeds are 64 bits wide', async () => {
  for (const [temperature, row] of Object.entries(golden.temp)) {
    const answers = await engine.answers({ temperature: Number(temperature) }, run());
    assert.equal(answers.distinct, row.distinct);
    assert.equal(answers.groups.reduce((sum, group) => sum + group.count, 0), 30);
  }
  const groups = async (seed) => (await engine.answers({ temperature: 1, seed }, run())).groups;
  assert.deepEqual(await groups(2n ** 64n - 1n), await groups(-1n));
  assert.notDeepEqual(await groups(2n ** 53n), await groups(2n ** 53n + 1n));
  for (const seed of [2n ** 64n, -(2n ** 63n) - 1n, 0.5, 'x', null]) {
    assert.equal((await refusal(() => engine.answers({ temperature: 1, seed }, run())))[0], 'range', String(seed));
  }
});

test('the lab\'s files are byte for byte those of mm-native', async (t) => {
  const native = `${root}build/native/mm-native`;
  if (!existsSync(native)) return t.skip('mm-native is not built (cmake --preset native)');
  const folder = mkdtempSync(`${tmpdir()}/mm-wasm-`);
  try {
    execFileSync(native, ['lab', '--pretrain', 'demo:pretrain', '--sft', 'demo:sft', '--out', folder], { stdio: 'pipe' });
    const read = (name) => readFileSync(`${folder}/${name}`, 'utf8');
    const seen = run();
    const lab = await engine.lab({ time: read('time.json') }, seen);
    assert.equal(lab.artifacts.length, 8);
    for (const { name, text } of lab.artifacts) assert.equal(text, read(name), name);
    assert.ok(seen.told.progress.length > 10);
    const grade = await engine.grade(lab.artifacts, 'en', 'full', run());
    assert.deepEqual([grade.score, grade.max], [100, 100]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a cancel is heard between tokens, and nothing is lost', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 30);
  const started = performance.now();
  assert.deepEqual(await refusal(() => engine.time({ kind: 'lab' }, run(abort.signal))), ['cancelled', 'stopped on request', '']);
  assert.ok(performance.now() - started < 1000);
  const answers = await engine.answers({ temperature: 0.3 }, run());
  assert.equal(answers.distinct, golden.temp['0.3'].distinct);
});

test('every kind of error arrives as one, naming file and field', async () => {
  const open = (parts) => refusal(() => engine.open(demoRequest({ sft: undefined, ...parts }), run()));
  const pretrain = file(`${demo}pretrain.pth`);
  const page = await open({ pretrain: bytes('<!doctype html><title>404</title>', 'pretrain.pth') });
  assert.equal(page[0], 'format');
  assert.match(page[1], /^pretrain\.pth: .*web page/);
  assert.equal(page[2], 'pretrain.pth');
  const cut = await open({ pretrain: { data: pretrain.data.subarray(0, 1e6), name: 'cut.pth' } });
  assert.equal(cut[0], 'format');
  assert.match(cut[1], /^cut\.pth: /);
  assert.deepEqual((await open({ tokenizer: bytes('{', 'tokenizer.json') })).toSpliced(1, 1), ['format', 'tokenizer.json']);
  assert.deepEqual((await open({ documents: bytes('{"text": "a"}\n{', 'val.jsonl') })).toSpliced(1, 1), ['format', 'val.jsonl']);
  assert.deepEqual((await open({ sft: bytes('x', 'sft.pth') })).toSpliced(1, 1), ['format', 'sft.pth']);
  const misfit = await open({ config: bytes('{"hidden_size": 64}', 'config.json') });
  assert.equal(misfit[0], 'config');
  assert.match(misfit[1], /config\.json: hidden_size/);
  const small = JSON.parse(readFileSync(`${demo}tokenizer.json`, 'utf8'));
  small.added_tokens.push({ ...small.added_tokens[0], id: 99999, content: '<|far|>' });
  const far = await open({ tokenizer: bytes(JSON.stringify(small), 'tokenizer.json') });
  assert.equal(far[0], 'tokenizer');
  const huge = await refusal(() => engine.module.alloc(0xfffffff0));
  assert.equal(huge[0], 'memory');
  assert.equal((await refusal(() => engine.module.call('nothing')))[0], 'internal');
  assert.equal((await refusal(() => engine.importTimings(bytes('[]', 't.json'), run())))[0], 'format');
  // After all of them the model that was open still is.
  assert.deepEqual(engine.opened().documents.file, 'pretrain_val.jsonl');
  assert.deepEqual(engine.tokens({ kind: 'text', text: '민수는' }).map((token) => token.id), golden.topp[0].ids);
});

test('arguments no page should send are refused, not crashed on', async () => {
  const strange = [undefined, null, NaN, Infinity, -1, 1.5, 1e300, '', 'x', [], {}, { kind: 'ids', ids: [0.5] },
    { kind: 'text', text: '\ud800' }, { kind: 'ids', ids: [] }, { prompt: { kind: 'text' } }, { step: 1e9 }, true];
  for (const one of strange) {
    for (const call of [() => engine.tokens(one), () => engine.startDecode(one, 8), () => engine.distribution(one, greedyOptions, 3),
      () => engine.time(one, run()), () => engine.rewind(one), () => engine.readers(24, one, 4),
      () => engine.distribution({ prompt: { kind: 'text', text: 'a' } }, { ...greedyOptions, temperature: one }, 3),
      () => engine.grade(one, 'ko', 'hint', run()), () => engine.kvBytes(one)]) {
      try {
        await call();
      } catch (error) {
        assert.ok(['range', 'format'].includes(error.kind), `${JSON.stringify(one)}: ${error.kind} ${error.message}`);
      }
    }
  }
  assert.equal(engine.tokens({ kind: 'text', text: '민수는' }).length, 2);
});

test('a checkpoint in shards is one model; what is missing is named', async () => {
  const folder = `${root}tests/golden/hf/qwen3_sharded/`;
  const shards = Array.from({ length: 7 }, (_, i) => file(`${folder}model-0000${i + 1}-of-00007.safetensors`));
  const tiny = JSON.parse(readFileSync(`${demo}tokenizer.json`, 'utf8')); // as small as the model's vocabulary
  tiny.model.merges = [];
  tiny.model.vocab = Object.fromEntries(Object.entries(tiny.model.vocab).filter(([, id]) => id < 97));
  const tokenizer = bytes(JSON.stringify(tiny), 'tokenizer.json');
  const index = file(`${folder}model.safetensors.index.json`);
  const request = { pretrain: { index, shards: shards.toReversed() }, config: file(`${folder}config.json`), tokenizer, own: true };
  const fresh = await newEngine();
  assert.equal((await fresh.open(request, run())).pretrain.format, 'safetensors, sharded');
  const { ids, greedy } = JSON.parse(readFileSync(`${folder}expected.json`, 'utf8'));
  fresh.startDecode({ kind: 'ids', ids }, greedy.length);
  const seen = run();
  await fresh.stepTo(undefined, seen);
  assert.deepEqual(seen.told.steps.map((step) => step.token.id), greedy);
  const [, message, blamed] = await refusal(() => fresh.open({ ...request, pretrain: { index, shards: shards.slice(1) } }, run()));
  assert.equal(blamed, shards[0].name);
  assert.match(message, /is missing/);
  const later = await fresh.openSft({ index, shards }, run());
  assert.equal(later.sft.format, 'safetensors, sharded');
  assert.equal(later.sft.fileBytes, later.pretrain.fileBytes);
});

test('opening again and again leaves the memory where it was', async () => {
  const fresh = await newEngine();
  const cycle = async (i) => {
    await fresh.open(demoRequest({ sft: undefined, own: i % 2 === 0 }), run());
    if (i % 50 === 0) {
      fresh.startDecode({ kind: 'text', text: '민수는' }, 20);
      await fresh.stepTo(20, run());
    }
    if (i % 10 === 0) await refusal(() => fresh.open(demoRequest({ sft: bytes('x', 'x') }), run()));
    if (i % 10 === 0) await refusal(() => fresh.open(demoRequest({ documents: bytes('x', 'x') }), run()));
  };
  // A model is opened beside the one before, in whatever holes earlier ones left: the memory grows a few times, by
  // less than a sixth, and comes to rest. What is used does not change at all.
  for (let i = 0; i < 20; ++i) await cycle(i);
  const used = fresh.module.usedBytes;
  const first = fresh.module.memoryBytes;
  let before;
  let rounds = 0;
  do {
    before = fresh.module.memoryBytes;
    for (let i = 0; i < 100; ++i) await cycle(i);
    assert.ok(Math.abs(fresh.module.usedBytes - used) < 1024, `${fresh.module.usedBytes - used} bytes`);
  } while (fresh.module.memoryBytes > before && ++rounds < 10);
  assert.equal(fresh.module.memoryBytes, before, 'still growing after 1000 openings');
  assert.ok(before < first * 1.15, `${first} bytes, then ${before}`);
});

test('the SFT checkpoint may come later; what is open is told by the module', async () => {
  const fresh = await newEngine();
  assert.equal(fresh.opened(), null);
  assert.equal((await refusal(() => fresh.openSft(file(`${demo}sft.pth`), run())))[0], 'range');
  const first = await fresh.open(demoRequest({ sft: 'later' }), run());
  assert.equal(first.sft, null);
  assert.deepEqual(fresh.opened(), first);
  assert.equal((await refusal(() => fresh.answers({ temperature: 1 }, run())))[0], 'range');
  const whole = await fresh.openSft(file(`${demo}sft.pth`), run());
  assert.deepEqual([whole.number, whole.sft.file, whole.pretrain.file], [first.number, 'sft.pth', 'pretrain.pth']);
  assert.deepEqual(fresh.opened(), whole);
  assert.equal((await fresh.answers({ temperature: 0.3 }, run())).distinct, golden.temp['0.3'].distinct);
  const one = await fresh.open(demoRequest({ sft: undefined, own: true }), run());
  assert.deepEqual([one.own, one.sft.file, one.number], [true, 'pretrain.pth', first.number + 1]);
});

test('with no memory left the module still says so, and goes on when there is some', async () => {
  const full = await demoEngine();
  const text = new TextEncoder().encode('tokens\0{"prompt": {"kind": "text", "text": "민수는"}}\0');
  const [name, params] = [full.module.alloc(7), full.module.alloc(text.length)];
  const held = [];
  for (let size = 1 << 28; size >= 8; size = Math.floor(size / 2)) {
    for (;;) {
      try {
        held.push(full.module.alloc(size));
      } catch {
        break;
      }
    }
  }
  full.module.write(name, text.subarray(0, 7));
  full.module.write(params, text.subarray(7));
  const refused = await refusal(() => full.module.callAt(name, params));
  assert.deepEqual([refused[0], refused[1]], ['memory', 'the browser gave no more memory']);
  for (const at of held) full.module.free(at);
  assert.equal(full.tokens({ kind: 'text', text: '민수는' }).length, 2);
});

test('after a trap nothing more is asked of the module', async () => {
  const broken = await newEngine();
  const outside = { at: 0xffff0000, size: 1000, name: 'x' };
  const [kind, message] = await refusal(() => broken.module.call('importTimings', { files: { file: outside } }));
  assert.equal(kind, 'worker');
  assert.match(message, /the WebAssembly module stopped/);
  assert.equal((await refusal(() => broken.tokens({ kind: 'lab' })))[0], 'worker');
});
