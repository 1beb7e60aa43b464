/**
 * What a page can ask of the model worker, and what it gets back.
 *
 * The contract between `wasm/` and `web/`. Every number and every artifact's text is computed by the core; the
 * page only shows them. All calls return promises because the module runs in a worker, and accept `RunOptions` as
 * their last argument: those that take long tell progress and stop between two tokens when the signal fires, rejecting
 * with a MiniMindError of kind "cancelled". Nothing here blocks the page or is lost by a cancel: models stay loaded.
 * `startMiniMind` of client.ts makes a MiniMind.
 */
import type { Attention, AttentionRequest, Draw, DrawRequest, Experiment, ExperimentName, OldKv, OldKvRequest } from './why';

export type * from './why';

/** The core's kinds, and those only a browser can have. */
export type ErrorKind =
  | 'io' | 'format' | 'unsupported' | 'config' | 'shape' | 'tokenizer' | 'range' | 'cancelled' | 'internal'
  | 'environment' // no WebAssembly, no SIMD, no workers
  | 'worker' // the worker did not start, or died (a trap): `restart()` helps
  | 'memory' // the browser gave no more memory
  | 'download'; // a file of the site did not arrive whole: trying again may help

/** Errors of every call arrive as this class, never as a number or a bare string. */
export interface MiniMindErrorLike extends Error {
  kind: ErrorKind;
  /** A second sentence that may help; may be empty. English, as the core's messages are. */
  hint: string;
  /** Name of the file it is about; empty when it is about none. */
  file: string;
}

export interface RunOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** stepTo hands each record over as it comes. */
  onStep?: (record: StepRecord) => void;
}
export interface Progress {
  /** What is being done, for the reader of a progress bar: "download", "load", or a lab step's name. */
  step: string;
  /** 0 … 1 of the whole call, never falling; 1 when all is done. */
  fraction: number;
  /** Bytes so far and in all of the call's files together; total is null when unknown. */
  bytes?: { done: number; total: number | null };
}

/** Hugging Face spelling. */
export interface ModelConfig {
  vocab_size: number;
  hidden_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  intermediate_size: number;
  max_position_embeddings: number;
  rms_norm_eps: number;
  rope_theta: number;
  tie_word_embeddings: boolean;
  use_moe: boolean;
  num_experts: number;
  num_experts_per_tok: number;
}

export interface ModelInfo {
  file: string;
  /** Bytes of the file. */
  fileBytes: number;
  format: string; // "torch zip", "torch legacy", "safetensors"
  dtype: string; // "float16", …; "mixed" when tensors differ
  architecture: string; // "minimind-3", …
  parameters: number;
  /** Bytes the weights take in the module. */
  weightBytes: number;
  config: ModelConfig;
  /** K and V of all layers for one token, bytes. */
  kvBytesPerToken: number;
  ignoredTensors: string[];
}

/** Where bytes come from: an address of the page's own origin, or a file the reader dropped. */
export type Source = { url: string; bytes?: number } | { file: Blob; name: string } | { data: Uint8Array; name: string };

/** One file, or the index of one in shards (model.safetensors.index.json) with the files that it names. */
export type Checkpoint = Source | { index: Source; shards: readonly Source[] };

/** The lab's steps 1–4 and 6 use the pretrained checkpoint, step 5 the SFT one. */
export interface OpenRequest {
  pretrain: Checkpoint;
  /** Left out: the pretrained one answers in its place. 'later': openSft brings it. */
  sft?: Checkpoint | 'later';
  /** tokenizer.json, of both. */
  tokenizer: Source;
  /** config.json of both, when there is one. */
  config?: Source;
  /** pretrain_val.jsonl, whose first documents make the lab's prompt. */
  documents?: Source;
  /** The reader's files, not the demo's; told back. */
  own: boolean;
}
/** What is open, as the module tells it. */
export interface Opened {
  /** Another number for each opening of this worker. */
  number: number;
  own: boolean;
  pretrain: ModelInfo;
  /** Null while it is to come. */
  sft: ModelInfo | null;
  tokenizer: { file: string; fileBytes: number };
  documents: { file: string; fileBytes: number; count: number } | null;
}

export interface Token {
  id: number;
  /** Decoded alone; bytes that make no character show as U+FFFD. Never to be read as HTML. */
  text: string;
  bytes: Uint8Array;
  special: boolean;
}

/** A text's ids get bos in front, as the lab's do; "chat" is the chat form of a question. */
export type Prompt =
  | { kind: 'lab' } // the lab's prompt: 6 documents, 200 ids, bos
  | { kind: 'text'; text: string }
  | { kind: 'ids'; ids: number[] }
  | { kind: 'chat'; text: string };

/** One lane of the decode scene in one step. */
export interface Lane {
  tokenId: number;
  /** Tokens that entered forward in this step, and since the start; counted there. */
  fed: number;
  fedTotal: number;
  /** The formula's value after this step: P + (n − 1), or n·P + n(n − 1)/2. */
  formulaTotal: number;
  milliseconds: number;
}

export interface Candidate {
  id: number;
  text: string;
  logit: number;
  /** At temperature 1, nothing cut. */
  probability: number;
}

export interface CacheState {
  tokens: number;
  /** Counted on the module's buffers. */
  bytesUsed: number;
  bytesReserved: number;
  /** 2 · layers · tokens · KV heads · head_dim · 4. */
  formulaBytes: number;
  /** What the same tokens would take after repeat_kv: the common mistake. */
  bytesAfterRepeat: number;
  /** (batch, length, KV heads, head_dim) of layer 0's K. */
  kShape: [number, number, number, number];
}

/** The whole record of one step: enough to draw it again later. */
export interface StepRecord {
  step: number; // 1 … newTokens
  token: Token;
  /** Text of the new tokens so far, streamed: a character's bytes appear when it is whole. */
  textSoFar: string;
  withCache: Lane;
  withoutCache: Lane;
  sameToken: boolean;
  /** max |difference| of the lanes' last-position logits. 0 means the same bits. */
  largestDifference: number;
  cache: CacheState;
  /** The ten likeliest, best first. */
  top: Candidate[];
  done: boolean;
}

export interface DecodeStart {
  prompt: Token[];
  promptText: string;
  newTokens: number;
  /** Totals after the last step, by the formulas. */
  finalWithCache: number;
  finalWithoutCache: number;
}

/** What MiniMind's sampler is asked for. temperature 0 = greedy; topK 0 = off; topP 1 = off. */
export interface SamplingOptions {
  temperature: number;
  topK: number;
  topP: number;
}

/** Whose logits: those of a step of the decode scene (0 = after the prompt), or after any prompt. */
export type Position = { step: number } | { prompt: Prompt };

export interface DistributionEntry extends Candidate {
  rank: number; // 0 = likeliest
  /** With the options: after temperature, top-k and top-p. */
  now: number;
  kept: boolean;
  /** After top-k, by rank. */
  cumulative: number;
}

/** One position's distribution under some options; nothing is drawn. Typed arrays are indexed by rank, [V]. */
export interface DistributionView {
  options: SamplingOptions;
  vocabSize: number;
  ids: Int32Array;
  /** After the temperature, before the cuts. */
  probabilities: Float32Array;
  cumulative: Float32Array;
  keptTopK: number;
  kept: number;
  /** The last kept one: with it the sum first exceeds topP. */
  crossing: DistributionEntry;
  /** The `entries` likeliest. */
  top: DistributionEntry[];
  /** A few on both sides of the cut. */
  aroundCut: DistributionEntry[];
  /** All others together. */
  rest: { count: number; before: number; now: number };
  /** In bits, of the distribution at T = 1 and as it is now. */
  entropyBefore: number;
  entropyNow: number;
  /** 2^entropy: how many equally likely choices it is worth. */
  choicesBefore: number;
  choicesNow: number;
}

export interface AnswersRequest {
  question?: string; // the lab's by default
  temperature: number;
  /** 64 bits whole: a bigint, −2^63 … 2^64 − 1. */
  seed?: bigint; // 0
  topP?: number; // 1
}
export interface Answers {
  temperature: number;
  total: number;
  distinct: number;
  /** Answers with a broken character. */
  broken: number;
  /** Most frequent first. */
  groups: { text: string; count: number; broken: boolean }[];
}

export interface TimedRun {
  seconds: number;
  firstStepSeconds: number;
}
/** Step 3 in this browser, or imported. */
export interface Timing {
  promptLength: number;
  newTokens: number;
  /** Three runs a side, in the order they ran. */
  withCache: TimedRun[];
  withoutCache: TimedRun[];
  withCacheSeconds: number; // medians
  withoutCacheSeconds: number;
  speedup: number;
  spread: number;
  /** Tokens fed: how many times fewer with the cache. */
  tokenFactor: number;
  /** Seconds of one token that entered forward. */
  tokenSeconds: { withCache: number; withoutCache: number; firstStep: number; laterSteps: number };
  /** Smallest difference two readings of this browser's clock can show, seconds. */
  clockResolution: number;
}

/** A `time.json` or `bench.json` (of `mm-native bench --json`, or live from `mm-native serve`), read by the core. */
export interface ImportedTimings {
  kind: 'time' | 'bench';
  /** bench: the machine's description. */
  machine: string;
  /** bench: random numbers instead of a trained model's; the times are those of any weights. */
  madeUpWeights: boolean;
  /** `kernels`: the instruction set that ran, "sse2", "avx512". */
  results: { size: string; what: string; threads: number; kernels: string; median: number; min: number; max: number; unit: string }[];
  /** time: the three numbers. */
  time: { withCacheSeconds: number; withoutCacheSeconds: number; speedup: number } | null;
}

export interface Artifact {
  name: string; // cache.py, same.json, …
  text: string;
}
export interface LabRun {
  artifacts: Artifact[];
  /** Numbers of the run, for showing. */
  same: { promptLength: number; newTokens: number; sameIds: boolean; ids: number[] };
  count: { withCache: number; withoutCache: number };
  timing: { withCacheSeconds: number; withoutCacheSeconds: number; speedup: number };
  kvBytes: { tokens: number; measuredBytes: number; formulaBytes: number; kShape: number[] };
  answers: Answers[];
  topP: { broad: Record<string, number>; sharp: Record<string, number> };
}
export interface LabRequest {
  /** Text of a time.json to use instead of timing here (then no timing is run). */
  time?: string;
}

export type Language = 'ko' | 'zh' | 'en';
export type Feedback = 'full' | 'hint' | 'none';
export interface GradeResult {
  score: number;
  max: number;
  checks: { id: string; group: string; title: string; ok: boolean; points: number; max: number; hint: string }[];
}

export interface Readers {
  bytesPerReader: number;
  /** How many caches of `context` tokens fit beside the weights. */
  readers: number;
  weightBytes: number;
}

/** The calls, by what they take and give; calls.ts has a row for each. */
export interface Calls {
  /**
   * Opens a model: all of it, or what was open before still is. Goes on beside whatever runs on the model before; that
   * is cancelled once the new one is there.
   */
  open(request: OpenRequest): Opened;
  /** The SFT checkpoint that `open` left for later. */
  openSft(checkpoint: Checkpoint): Opened;
  opened(): Opened | null;

  tokens(prompt: Prompt): Token[];

  /** Begins the decode scene on the pretrained model; an earlier one ends. */
  startDecode(prompt: Prompt, newTokens: number): DecodeStart;
  /** Both lanes, one step. */
  step(): StepRecord;
  /** Steps on to `step` (all when absent), handing each record to `onStep`. */
  stepTo(step?: number): void;
  /** Forgets every step after `step`: the next step computes step + 1 anew. */
  rewind(step: number): void;

  /** Of the reference forward, as are all of the why section's. */
  attention(request: AttentionRequest): Attention;
  oldKv(request: OldKvRequest): OldKv;
  experiments(): ExperimentName[];
  /** 24 new tokens with one thing changed, beside the same without. */
  experiment(request: { name: string; prompt: Prompt }): Experiment;
  /** The experiments run so far on the newest prompt, as `mm-native why` prints and (`--json`) writes them. */
  whyTable(): { text: string; json: string };
  /** The race behind one drawn token; nothing is drawn for good. */
  draw(request: DrawRequest): Draw;

  /** `entries`: how many of the likeliest are listed, 30 when absent. */
  distribution(position: Position, options: SamplingOptions, entries?: number): DistributionView;

  /** Formula bytes for each of these token counts, and the bytes after repeat_kv. */
  kvBytes(tokens: number[]): { tokens: number; bytes: number; afterRepeat: number }[];
  /** An estimate by the same formula. cacheBytesPerValue: 4 = float32, 2 = float16. */
  readers(cardGigabytes: number, context: number, cacheBytesPerValue: 2 | 4): Readers;

  /** Step 5 at one temperature: 30 answers of 24 tokens by the SFT model. */
  answers(request: AnswersRequest): Answers;
  /** Step 3 here, on the lab's prompt when there is none: one warm-up, then three runs each. */
  time(prompt?: Prompt): Timing;
  importTimings(source: Source): ImportedTimings;

  /** Everything: the eight artifacts as `mm-native lab` would write them. */
  lab(request?: LabRequest): LabRun;
  /** The grader's checks on these artifacts, with hints when `feedback` is absent; the reference is computed once. */
  grade(artifacts: Artifact[], language: Language, feedback?: Feedback): GradeResult;
}
export type CallName = keyof Calls;

type Asked = {
  [Name in CallName]: (...args: [...Parameters<Calls[Name]>, run?: RunOptions]) => Promise<ReturnType<Calls[Name]>>;
};

/**
 * The running worker with its module. Calls run in the order they came, but one waits for a long one to end only where
 * both touch the same thing (calls.ts): the decode scene goes on in the pauses of `answers`, `time`, `lab` and `grade`,
 * and questions are answered in any. What is timed leaves the pauses out.
 */
export interface MiniMind extends Asked {
  /**
   * A new worker in place of the old one, after an error of kind "worker" or "memory". Nothing is open in it; calls
   * that were waiting are rejected.
   */
  restart(): Promise<void>;
  /** Ends the worker: whatever is waiting, and every later call, is rejected with kind "worker". */
  close(): void;
}
