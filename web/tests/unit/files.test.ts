import { describe, expect, it } from 'vitest';
import { sortFiles, sourcesOf, stageOf, type Given, type Sorted } from '../../src/model/files';

const given = (path: string): Given => ({ path, name: path.split('/').at(-1) ?? path });
/** "pretrain ← a, sft ← b …", what is asked, or the problem. */
function told(sorted: Sorted<Given>): unknown {
  if (sorted.kind === 'problem') return sorted.problem;
  if (sorted.kind === 'ask') return sorted.checkpoints.map((file) => file.path);
  const { left, shards = [], ...files } = sorted.files;
  const paths = (list: readonly Given[]) => list.map((file) => file.path);
  return {
    ...Object.fromEntries(Object.entries(files).map(([part, file]) => [part, file.path])),
    ...(shards.length > 0 && { shards: paths(shards) }),
    ...(left.length > 0 && { left: paths(left) }),
  };
}
const sorted = (...paths: string[]) => told(sortFiles(paths.map(given)));
const roles = (...names: string[]) => {
  const found = sortFiles([...names, 'tokenizer.json'].map(given));
  return found.kind === 'ready' ? [found.files.pretrain.name, found.files.sft?.name] : found.kind;
};

describe('which checkpoint is which', () => {
  it('one is both', () => {
    expect(sorted('m.safetensors', 'tokenizer.json')).toEqual({ pretrain: 'm.safetensors', tokenizer: 'tokenizer.json' });
  });
  it.each([
    'full_sft_768.pth', 'sft.pth', 'dpo_768.pth', 'rlhf_512.pth', 'reason_512_moe.pth', 'grpo_768.pth', 'ppo_actor_768.pth', 'spo_768.pth',
    'lora_identity_768.pth', 'distill_512.pth', 'full_dist_512.pth', 'cispo_768.pth', 'agent_768.pth', 'MiniMind2-R1.pth', 'my-Instruct-v2.safetensors',
    'sft_from_pretrain_768.pth',
  ])('%s is not the pretrained one, in any order', (tuned) => {
    expect(roles('pretrain_768.pth', tuned)).toEqual(['pretrain_768.pth', tuned]);
    expect(roles(tuned, 'pretrain_768.pth')).toEqual(['pretrain_768.pth', tuned]);
  });
  it('a known stage tells the other one as well', () => {
    expect(roles('weights.pth', 'pretrain_768_moe.pth')).toEqual(['pretrain_768_moe.pth', 'weights.pth']);
    expect(roles('dpo_768.pth', 'weights.pth')).toEqual(['weights.pth', 'dpo_768.pth']);
  });
  it('words are words, not letters within one', () => {
    expect(stageOf(given('dposition.pth'))).toBeNull();
    expect(stageOf(given('chatelaine_768.pth'))).toBeNull();
    expect(stageOf(given('미니_sft.pth'))).toBe('tuned');
  });
  it('a folder tells what the name does not', () => {
    expect(sorted('out/sft/model.pth', 'out/pretrain/model.pth', 'tokenizer.json')).toEqual({
      pretrain: 'out/pretrain/model.pth', sft: 'out/sft/model.pth', tokenizer: 'tokenizer.json',
    });
  });
  it.each([
    [['a.pth', 'b.pth']],
    [['full_sft_768.pth', 'dpo_768.pth']],
    [['pretrain_512.pth', 'pretrain_768.pth']],
    [['pretrain.pth', 'full_sft.pth', 'dpo.pth']],
  ])('%j cannot be told apart: the reader is asked, and any answer is taken', (names) => {
    const found = sortFiles([...names, 'tokenizer.json'].map(given));
    if (found.kind !== 'ask') throw new Error(found.kind);
    const [first, second] = found.checkpoints;
    if (!first || !second) throw new Error('two were given');
    expect(found.checkpoints.map((file) => file.name)).toEqual(names);
    expect(told(found.choose(second, first))).toMatchObject({ pretrain: names[1], sft: names[0] });
    expect(told(found.choose(first, first))).not.toHaveProperty('sft');
  });
});

describe('what else was dropped', () => {
  it('a whole export: what has no use is left aside, and named', () => {
    const others = ['.DS_Store', 'README.md', 'added_tokens.json', 'chat_template.jinja', 'generation_config.json', 'merges.txt', 'model_minimind.py',
      'special_tokens_map.json', 'tokenizer_config.json', 'training_args.bin', 'vocab.json'];
    const folder = (name: string) => `MiniMind2/${name}`;
    expect(sorted(...['config.json', 'model.safetensors', 'tokenizer.json', ...others].map(folder))).toEqual({
      pretrain: 'MiniMind2/model.safetensors', tokenizer: 'MiniMind2/tokenizer.json', config: 'MiniMind2/config.json', left: others.map(folder),
    });
  });
  it.each(['optimizer.pt', 'scheduler.pt', 'rng_state.pth', 'rng_state_0.pth', 'training_args.bin', 'ppo_critic_768.pth', '__MACOSX/._pretrain.pth',
    'model.safetensors.index.json', 'holiday.jpg', '.gitattributes'])('%s is left aside', (name) => {
    expect(sorted('a.pth', 'tokenizer.json', name)).toEqual({ pretrain: 'a.pth', tokenizer: 'tokenizer.json', left: [name] });
  });
  it('the same weights in a second form are left aside', () => {
    expect(sorted('model.safetensors', 'pytorch_model.bin', 'tokenizer.json')).toMatchObject({ pretrain: 'model.safetensors', left: ['pytorch_model.bin'] });
    expect(sorted('pretrain_768.pth', 'pretrain_768_resume.pth', 'tokenizer.json')).toMatchObject({ pretrain: 'pretrain_768.pth', left: ['pretrain_768_resume.pth'] });
    expect(sorted('pretrain_768_resume.pth', 'tokenizer.json')).toMatchObject({ pretrain: 'pretrain_768_resume.pth' });
  });
  it('of several tokenizers and configs, those beside the checkpoint', () => {
    expect(sorted('m/model.pth', 'm/tokenizer.json', 'm/config.json', 'm/teacher/tokenizer.json', 'm/teacher/config.json')).toMatchObject({
      tokenizer: 'm/tokenizer.json', config: 'm/config.json', left: ['m/teacher/tokenizer.json', 'm/teacher/config.json'],
    });
    expect(sorted('model.pth', 'a/tokenizer.json', 'b/tokenizer.json')).toBe('twoOf');
  });
  it('of several documents, the pretraining ones', () => {
    expect(sorted('a.pth', 'tokenizer.json', 'sft_mini.jsonl', 'pretrain_val.jsonl')).toMatchObject({ documents: 'pretrain_val.jsonl', left: ['sft_mini.jsonl'] });
    expect(sorted('a.pth', 'tokenizer.json', 'one.jsonl', 'two.jsonl')).toBe('twoOf');
  });
  it('says what is missing', () => {
    expect(sorted()).toBe('needCheckpoint');
    expect(sorted('tokenizer.json', 'training_args.bin')).toBe('needCheckpoint');
    expect(sorted('a.pth')).toBe('needTokenizer');
    expect(sorted('a.pth', 'tokenizer_config.json')).toBe('needTokenizer');
  });
});

describe('a checkpoint in several files', () => {
  const index = 'model.safetensors.index.json';
  const shards = ['model-00001-of-00003.safetensors', 'model-00002-of-00003.safetensors', 'model-00003-of-00003.safetensors'];
  const named = (...names: string[]) => {
    const found = sortFiles([...names, 'tokenizer.json'].map(given));
    return found.kind === 'problem' ? [found.problem, found.name] : found.kind;
  };
  it('is opened by its index, with all of them, in any order', () => {
    expect(sorted('tokenizer.json', shards[2] ?? '', index, shards[0] ?? '', shards[1] ?? '')).toEqual({
      pretrain: index, shards: [shards[2], shards[0], shards[1]], tokenizer: 'tokenizer.json',
    });
    const bin = ['pytorch_model.bin.index.json', 'pytorch_model-00001-of-00002.bin', 'pytorch_model-00002-of-00002.bin'];
    expect(sorted('tokenizer.json', ...bin)).toMatchObject({ pretrain: bin[0], shards: bin.slice(1) });
  });
  it('one of several roles, each with its own files', () => {
    const folder = (name: string) => [index, ...shards].map((file) => `${name}/${file}`);
    const found = sortFiles([...folder('sft'), ...folder('pretrain'), 'tokenizer.json'].map((path) => ({ ...given(path), file: new Blob([path]) })));
    if (found.kind !== 'ready') throw new Error(found.kind);
    expect(found.files).toMatchObject({ pretrain: { path: `pretrain/${index}` }, sft: { path: `sft/${index}` }, left: [] });
    const { pretrain, sft } = sourcesOf(found.files);
    if (!('index' in pretrain) || typeof sft !== 'object' || !('index' in sft)) throw new Error('not in shards');
    expect([pretrain.index, ...pretrain.shards]).toEqual([index, ...shards].map((name) => expect.objectContaining({ name })));
    const files = found.files.shards?.filter((file) => file.path.startsWith('sft/')).map((file) => file.file);
    expect(sft.shards.map((source) => 'file' in source && source.file)).toEqual(files);
  });
  it('says which one is missing', () => {
    expect(named(index, ...shards.slice(1))).toEqual(['needShards', shards[0]]);
    expect(named(index, shards[0] ?? '', shards[2] ?? '')).toEqual(['needShards', shards[1]]);
    expect(named(...shards)).toEqual(['needIndex', index]);
  });
  it('whole forms of it come first, and parts without an index are left aside', () => {
    expect(sorted('model.safetensors', index, ...shards, 'tokenizer.json')).toMatchObject({ pretrain: 'model.safetensors', left: [index, ...shards] });
    expect(sorted(index, ...shards, 'pytorch_model.bin', 'tokenizer.json')).toMatchObject({ pretrain: index, left: ['pytorch_model.bin'] });
    expect(sorted('a.pth', ...shards, 'tokenizer.json')).toMatchObject({ pretrain: 'a.pth', left: shards });
    expect(sorted('model-00001-of-00001.safetensors', 'tokenizer.json')).toMatchObject({ pretrain: 'model-00001-of-00001.safetensors' });
  });
});
