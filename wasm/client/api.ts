/**
 * What a page can ask of the model worker, and what it gets back.
 *
 * The contract between `wasm/` and `web/`. Every number and every artifact's text is computed by the core; the
 * page only shows them. All calls return promises because the module runs in a worker. Calls that take long
 * accept `RunOptions`: they tell progress and stop between two tokens when the signal fires, rejecting with a
 * MiniMindError of kind "cancelled". Nothing here blocks the page or is lost by a cancel: models stay loaded.
 * `startMiniMind` of client.ts makes a MiniMind.
 */

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
}

export interface RunOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}
export interface Progress {
  /** What is being done, for the reader of a progress bar: "download", "load", or a lab step's name. */
  step: string;
  /** 0 … 1. */
  fraction: number;
  /** Bytes so far and in all, while something is loaded; total is null when unknown. */
  bytes?: { done: number; total: number | null };
}

/** Which of the two checkpoints: the lab's steps 1–4 and 6 use "pretrain", step 5 "sft". */
export type Role = 'pretrain' | 'sft';

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
  role: Role;
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

export interface LoadRequest {
  role: Role;
  checkpoint: Source;
  /** tokenizer.json. */
  tokenizer: Source;
  /** config.json, when there is one. */
  config?: Source;
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
  results: { size: string; what: string; threads: number; median: number; min: number; max: number; unit: string }[];
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

/**
 * The running worker with its module. Calls run in the order they came, but one waits for a long one to end only where
 * both touch the same thing: the decode scene (`startDecode`, `step`, `stepTo`, `rewind`) goes on in the pauses of
 * `answers`, `time`, `lab` and `grade`, and `tokens`, `distribution`, `kvBytes` and `readers` are answered in any.
 * What is timed leaves the pauses out.
 */
export interface MiniMind {
  /** Loads checkpoint and tokenizer; what was loaded for the role before is freed only when all went well. */
  load(request: LoadRequest, run?: RunOptions): Promise<ModelInfo>;
  /** The first documents of a pretrain_val.jsonl, for the lab's prompt. Returns how many were read. */
  loadDocuments(source: Source, run?: RunOptions): Promise<number>;
  unload(role: Role): Promise<void>;

  tokens(prompt: Prompt, role?: Role): Promise<Token[]>;

  /** Begins the decode scene on the pretrained model; an earlier one ends. */
  startDecode(prompt: Prompt, newTokens: number): Promise<DecodeStart>;
  /** Both lanes, one step. */
  step(run?: RunOptions): Promise<StepRecord>;
  /** Steps on to `step` (all when absent), handing each record over as it comes. */
  stepTo(step: number | undefined, onStep: (record: StepRecord) => void, run?: RunOptions): Promise<void>;
  /** Forgets every step after `step`: the next step computes step + 1 anew. */
  rewind(step: number): Promise<void>;

  distribution(position: Position, options: SamplingOptions, entries?: number): Promise<DistributionView>;

  /** Formula bytes for each of these token counts, and the bytes after repeat_kv. */
  kvBytes(tokens: number[]): Promise<{ tokens: number; bytes: number; afterRepeat: number }[]>;
  /** An estimate by the same formula. cacheBytesPerValue: 4 = float32, 2 = float16. */
  readers(cardGigabytes: number, context: number, cacheBytesPerValue: 2 | 4): Promise<Readers>;

  /** Step 5 at one temperature: 30 answers of 24 tokens by the SFT model. */
  answers(request: AnswersRequest, run?: RunOptions): Promise<Answers>;
  /** Step 3 here: one warm-up, then three runs each. */
  time(prompt?: Prompt, run?: RunOptions): Promise<Timing>;
  importTimings(source: Source): Promise<ImportedTimings>;

  /** Everything: the eight artifacts as `mm-native lab` would write them. */
  lab(request?: LabRequest, run?: RunOptions): Promise<LabRun>;
  /** The grader's checks on these artifacts; the reference is computed once. */
  grade(artifacts: Artifact[], language: Language, feedback?: Feedback, run?: RunOptions): Promise<GradeResult>;

  /**
   * A new worker in place of the old one, after an error of kind "worker" or "memory". Nothing is loaded in it;
   * calls that were waiting are rejected.
   */
  restart(): Promise<void>;
  /** Ends the worker: whatever is waiting, and every later call, is rejected with kind "worker". */
  close(): void;
}
