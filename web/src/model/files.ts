/** Sorts the files a reader dropped into what `load` wants. Pure; nothing is read here. */
export interface Picked<F extends { name: string }> {
  pretrain: F;
  /** The same file when only one checkpoint was given. */
  sft: F;
  tokenizer: F;
  config?: F;
  documents?: F;
}
export type PickProblem = 'needCheckpoint' | 'needTokenizer' | 'tooMany' | 'unknownFile';
export type PickResult<F extends { name: string }> = { ok: true; files: Picked<F> } | { ok: false; problem: PickProblem; name: string };

const isCheckpoint = (name: string) => /\.(pth|pt|bin|safetensors)$/i.test(name);
const isSft = (name: string) => /sft|chat|instruct/i.test(name);

export function sortFiles<F extends { name: string }>(files: readonly F[]): PickResult<F> {
  const checkpoints: F[] = [];
  let tokenizer: F | undefined;
  let config: F | undefined;
  let documents: F | undefined;
  for (const file of files) {
    const name = file.name.toLowerCase();
    if (isCheckpoint(name)) checkpoints.push(file);
    else if (name.endsWith('.jsonl')) documents = file;
    else if (name === 'config.json') config = file;
    else if (name.endsWith('.json') && name.includes('tokenizer') && name !== 'tokenizer_config.json') tokenizer = file;
    else if (!['tokenizer_config.json', 'generation_config.json', 'special_tokens_map.json'].includes(name))
      return { ok: false, problem: 'unknownFile', name: file.name };
  }
  const [first, second, third] = checkpoints;
  if (!first) return { ok: false, problem: 'needCheckpoint', name: '' };
  if (third) return { ok: false, problem: 'tooMany', name: '' };
  if (!tokenizer) return { ok: false, problem: 'needTokenizer', name: '' };
  const sft = second ? (isSft(first.name) && !isSft(second.name) ? first : second) : first;
  const pretrain = sft === first && second ? second : first;
  return { ok: true, files: { pretrain, sft, tokenizer, ...(config && { config }), ...(documents && { documents }) } };
}
