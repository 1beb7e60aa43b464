/** Sorts the files and folders a reader dropped into what opening a model takes. Pure; nothing is read here. */
import type { Checkpoint, OpenRequest, Source } from '$client/api';

export interface Given {
  name: string;
  /** With the folders it came in: "minimind/config.json". */
  path: string;
}
export interface Picked<F extends Given> {
  /** A file, or the index of a checkpoint in shards. */
  pretrain: F;
  /** Absent when one checkpoint is both. */
  sft?: F;
  /** Of the checkpoints that are in shards. */
  shards?: readonly F[];
  tokenizer: F;
  config?: F;
  documents?: F;
  /** No use is known for them: they are left alone, and the reader is told. */
  left: readonly F[];
}
export type PickProblem = 'needCheckpoint' | 'needTokenizer' | 'needIndex' | 'needShards' | 'twoOf';
export type Sorted<F extends Given> =
  | { kind: 'ready'; files: Picked<F> }
  /** Which checkpoint is which cannot be told: the reader chooses. */
  | { kind: 'ask'; checkpoints: readonly F[]; choose: (pretrain: F, sft: F) => Sorted<F> }
  | { kind: 'problem'; problem: PickProblem; name: string };

const CHECKPOINT = /\.(pth|pt|bin|safetensors)$/;
/** What training leaves beside a model's weights: the optimizer, random states, a critic. */
const NO_WEIGHTS = /^(training_args|optimizer|scheduler|scaler|rng_state\w*)\.(bin|pt|pth)$|critic/;
/** One of several: "model-00001-of-00007.safetensors". */
const SHARD = /^(.*)-\d{5}-of-(?!00001\.)(\d{5})(\.(?:safetensors|bin))$/;
const INDEX = /\.(safetensors|bin)\.index\.json$/;

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

/** The index beside a shard, by its name; null for what is no shard. */
const indexOf = (file: Given): string | null => {
  const parts = SHARD.exec(lower(file));
  return parts && `${parts[1]}${parts[3]}.index.json`;
};
const shardsOf = <F extends Given>(index: Given, all: readonly F[]): F[] =>
  all.filter((file) => folderOf(file) === folderOf(index) && indexOf(file) === lower(index));

/** The first shard that is not there, where their names tell how many there are. */
function missingShard(shards: readonly Given[]): string | null {
  const [first] = shards;
  const count = first && Number(SHARD.exec(lower(first))?.[2]);
  for (let n = 1; first && count && n <= count; ++n) {
    const name = first.name.replace(/\d{5}-of-/, `${String(n).padStart(5, '0')}-of-`);
    if (!shards.some((shard) => lower(shard) === name.toLowerCase())) return name;
  }
  return null;
}

type Kind = 'checkpoint' | 'index' | 'tokenizer' | 'config' | 'documents' | 'shard' | 'left';
function kindOf(file: Given): Kind {
  const name = lower(file);
  if (name.startsWith('.') || file.path.includes('__MACOSX/') || NO_WEIGHTS.test(name)) return 'left';
  if (SHARD.test(name)) return 'shard';
  if (INDEX.test(name)) return 'index';
  if (CHECKPOINT.test(name)) return 'checkpoint';
  if (name.endsWith('.jsonl')) return 'documents';
  if (name === 'config.json') return 'config';
  if (name.endsWith('.json') && name.includes('tokenizer') && name !== 'tokenizer_config.json') return 'tokenizer';
  return 'left';
}

/** A model's weights in the forms that Hugging Face saves, the one that is read first before the others. */
const FORMS = ['model.safetensors', 'model.safetensors.index.json', 'pytorch_model.bin', 'pytorch_model.bin.index.json'];
/** The same weights twice: a resumable state beside the plain file, a pickle beside the safetensors. */
const isSecondForm = <F extends Given>(file: F, all: readonly F[]): boolean => {
  const beside = (name: string) => all.some((other) => other !== file && folderOf(other) === folderOf(file) && lower(other) === name);
  return beside(lower(file).replace('_resume.', '.')) || FORMS.slice(0, Math.max(FORMS.indexOf(lower(file)), 0)).some(beside);
};

export function sortFiles<F extends Given>(files: readonly F[]): Sorted<F> {
  const of = (kind: Kind) => files.filter((file) => kindOf(file) === kind);
  // An index without any of its shards is no checkpoint where there is another.
  const whole = files.filter((file) => kindOf(file) === 'checkpoint' || (kindOf(file) === 'index' && shardsOf(file, files).length > 0));
  const found = whole.length > 0 ? whole : of('index');
  const checkpoints = found.filter((file) => !isSecondForm(file, found));
  const [first, second] = checkpoints;
  if (!first) {
    const [shard] = of('shard');
    return shard ? { kind: 'problem', problem: 'needIndex', name: indexOf(shard) ?? '' } : { kind: 'problem', problem: 'needCheckpoint', name: '' };
  }

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
  const indexes = [pretrain, ...(sft ? [sft] : [])].filter((file) => kindOf(file) === 'index');
  for (const index of indexes) {
    const missing = missingShard(shardsOf(index, files));
    if (missing) return { kind: 'problem', problem: 'needShards', name: missing };
  }
  const shards = indexes.flatMap((index) => shardsOf(index, files));
  const used = [pretrain, sft, tokenizer, configs[0], documents[0], ...shards];
  return {
    kind: 'ready',
    files: {
      pretrain,
      ...(sft && { sft }),
      ...(shards.length > 0 && { shards }),
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
  const { pretrain, sft, shards = [], tokenizer, config, documents } = picked;
  const checkpoint = (file: Given & { file: Blob }): Checkpoint => {
    const own = shardsOf(file, shards);
    return own.length > 0 ? { index: source(file), shards: own.map(source) } : source(file);
  };
  return {
    pretrain: checkpoint(pretrain),
    ...(sft && { sft: checkpoint(sft) }),
    tokenizer: source(tokenizer),
    ...(config && { config: source(config) }),
    ...(documents && { documents: source(documents) }),
  };
}
