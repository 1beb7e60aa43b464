/** Sorts the files and folders a reader dropped into what opening a model takes. Pure; nothing is read here. */
import type { OpenRequest, Source } from '$client/api';

export interface Given {
  name: string;
  /** With the folders it came in: "minimind/config.json". */
  path: string;
}
export interface Picked<F extends Given> {
  pretrain: F;
  /** Absent when one checkpoint is both. */
  sft?: F;
  tokenizer: F;
  config?: F;
  documents?: F;
  /** No use is known for them: they are left alone, and the reader is told. */
  left: readonly F[];
}
export type PickProblem = 'needCheckpoint' | 'needTokenizer' | 'twoOf' | 'sharded';
export type Sorted<F extends Given> =
  | { kind: 'ready'; files: Picked<F> }
  /** Which checkpoint is which cannot be told: the reader chooses. */
  | { kind: 'ask'; checkpoints: readonly F[]; choose: (pretrain: F, sft: F) => Sorted<F> }
  | { kind: 'problem'; problem: PickProblem; name: string };

const CHECKPOINT = /\.(pth|pt|bin|safetensors)$/;
/** What training leaves beside a model's weights: the optimizer, random states, a critic. */
const NO_WEIGHTS = /^(training_args|optimizer|scheduler|scaler|rng_state\w*)\.(bin|pt|pth)$|critic/;
const SHARD = /-\d{5}-of-\d{5}\.(safetensors|bin)$/;

/** Stages of MiniMind's training, and what others call them, as words of a name: full_sft_768_moe.pth. */
const PRETRAINED = /^(pretrain\w*|base)$/;
const TUNED = /^(sft|dpo|rlhf|rlaif|rl|reason\w*|grpo|gspo|cispo|ppo|actor|spo|agent|lora|distill\w*|dist|kd|chat|instruct\w*|it|r1|think\w*|tun(ed|ing)|finetun\w*|aligned)$/;

type Stage = 'pretrain' | 'tuned' | null;
const stageOfText = (text: string): Stage => {
  const words = text.toLowerCase().split(/[^\p{L}\d]+/u);
  // "sft_from_pretrain" is an SFT model.
  if (words.some((word) => TUNED.test(word))) return 'tuned';
  return words.some((word) => PRETRAINED.test(word)) ? 'pretrain' : null;
};
/** By the file's own name; where that says nothing, by its innermost folder that does. */
export function stageOf({ name, path }: Given): Stage {
  for (const part of [name.replace(/\.\w+$/, ''), ...path.split('/').slice(0, -1).reverse()]) {
    const stage = stageOfText(part);
    if (stage) return stage;
  }
  return null;
}

const folderOf = ({ path }: Given): string => path.split('/').slice(0, -1).join('/');
const lower = ({ name }: Given): string => name.toLowerCase();

type Kind = 'checkpoint' | 'tokenizer' | 'config' | 'documents' | 'shard' | 'left';
function kindOf(file: Given): Kind {
  const name = lower(file);
  if (name.startsWith('.') || file.path.includes('__MACOSX/') || NO_WEIGHTS.test(name)) return 'left';
  if (SHARD.test(name)) return 'shard';
  if (CHECKPOINT.test(name)) return 'checkpoint';
  if (name.endsWith('.jsonl')) return 'documents';
  if (name === 'config.json') return 'config';
  if (name.endsWith('.json') && name.includes('tokenizer') && name !== 'tokenizer_config.json') return 'tokenizer';
  return 'left';
}

/** The same weights twice: a resumable state beside the plain file, a pickle beside the safetensors. */
const isSecondForm = <F extends Given>(file: F, all: readonly F[]): boolean => {
  const beside = (name: string) => all.some((other) => other !== file && folderOf(other) === folderOf(file) && lower(other) === name);
  return beside(lower(file).replace('_resume.', '.')) || (lower(file) === 'pytorch_model.bin' && beside('model.safetensors'));
};

export function sortFiles<F extends Given>(files: readonly F[]): Sorted<F> {
  const of = (kind: Kind) => files.filter((file) => kindOf(file) === kind);
  const found = of('checkpoint');
  const checkpoints = found.filter((file) => !isSecondForm(file, found));
  const [shard] = of('shard');
  if (shard && checkpoints.length === 0) return { kind: 'problem', problem: 'sharded', name: shard.name };
  const [first, second] = checkpoints;
  if (!first) return { kind: 'problem', problem: 'needCheckpoint', name: '' };

  const choose = (pretrain: F, sft: F | undefined): Sorted<F> => withOthers(files, of, pretrain, sft === pretrain ? undefined : sft);
  if (!second) return choose(first, undefined);
  const pretrained = checkpoints.filter((file) => stageOf(file) === 'pretrain');
  const tuned = checkpoints.filter((file) => stageOf(file) === 'tuned');
  if (checkpoints.length === 2) {
    const pretrain = pretrained.length === 1 ? pretrained[0] : tuned.length === 1 ? checkpoints.find((file) => file !== tuned[0]) : undefined;
    if (pretrain) return choose(pretrain, pretrain === first ? second : first);
  }
  return { kind: 'ask', checkpoints, choose };
}

function withOthers<F extends Given>(files: readonly F[], of: (kind: Kind) => readonly F[], pretrain: F, sft: F | undefined): Sorted<F> {
  /** Of several, those beside the pretrained checkpoint. */
  const near = (candidates: readonly F[]) => {
    const beside = candidates.filter((file) => folderOf(file) === folderOf(pretrain));
    return beside.length > 0 ? beside : candidates;
  };
  const tokenizers = near(of('tokenizer'));
  const configs = near(of('config'));
  const texts = of('documents').filter((file) => /pretrain/.test(lower(file)));
  const documents = near(texts.length > 0 ? texts : of('documents'));
  for (const competing of [tokenizers, configs, documents]) {
    if (competing.length > 1) return { kind: 'problem', problem: 'twoOf', name: competing.map((file) => file.path).join(', ') };
  }
  const [tokenizer] = tokenizers;
  if (!tokenizer) return { kind: 'problem', problem: 'needTokenizer', name: '' };
  const used = [pretrain, sft, tokenizer, configs[0], documents[0]];
  return {
    kind: 'ready',
    files: {
      pretrain,
      ...(sft && { sft }),
      tokenizer,
      ...(configs[0] && { config: configs[0] }),
      ...(documents[0] && { documents: documents[0] }),
      left: files.filter((file) => !used.includes(file)),
    },
  };
}

/** What opening a model reads. */
export function sourcesOf(picked: Picked<Given & { file: Blob }>): Omit<OpenRequest, 'own'> {
  const source = ({ file, name }: Given & { file: Blob }): Source => ({ file, name });
  const { pretrain, sft, tokenizer, config, documents } = picked;
  return {
    pretrain: source(pretrain),
    ...(sft && { sft: source(sft) }),
    tokenizer: source(tokenizer),
    ...(config && { config: source(config) }),
    ...(documents && { documents: source(documents) }),
  };
}
