/** What the calls of the why section take and give: attention, old keys and values, experiments, one draw. */
import type { Position, Token } from './api';

/** Layers and heads count from 0. `window`: how many of the newest tokens are told. */
export interface AttentionRequest {
  ids: number[];
  layer: number;
  head: number;
  window: number;
}
export interface Attention {
  layer: number;
  head: number;
  kvHead: number;
  /** Index of the first token told. */
  from: number;
  /** [n][n]: token from + r looks at token from + c; 0 above the diagonal. */
  weights: number[][];
  /** What each row gives to the tokens before `from`; with it a row sums to 1. */
  folded: number[];
  /** [n][head_dim]. */
  k: number[][];
  v: number[][];
}
export interface OldKvRequest {
  ids: number[];
  promptLength: number;
  layer: number;
  kvHead: number;
  /** False: computed again with tokens seeing later ones. */
  causal: boolean;
  window: number;
}
/** K and V as stored when each token came, and as computed again now; [n][head_dim] each. */
export interface OldKv {
  layer: number;
  kvHead: number;
  from: number;
  kStored: number[][];
  kAgain: number[][];
  vStored: number[][];
  vAgain: number[][];
  /** One a layer, over all its heads. */
  layers: { bitsDiffering: number; largestK: number; largestV: number }[];
  bits: number;
  bitsDiffering: number;
  largestLogitDifference: number;
  nextWithCache: Token;
  nextWithoutCache: Token;
}
export interface ExperimentName {
  name: string;
  kind: 'cache' | 'drawing' | 'bug' | 'trade';
  title: string;
}
export interface Experiment {
  name: string;
  kind: ExperimentName['kind'];
  /** Counted from 1; null when no token differs. */
  firstDifference: number | null;
  /** Of the logits, up to and with the step of the first difference; null where some were not finite. */
  largestDifference: number | null;
  bitsEqual: boolean;
  kvBytes: number;
  kvBytesFormula: number;
  kvBytesControl: number;
  tokens: Token[];
  tokensControl: Token[];
}
export interface Racer {
  token: Token;
  /** By probability, 0 = likeliest. */
  rank: number;
  /** In the race, 0 = winner. */
  place: number;
  probability: number;
  noise: number;
  quotient: number;
}
export interface DrawRequest {
  position: Position;
  temperature: number;
  /** 64 bits whole, as digits. */
  seed: string;
  entries: number;
}
export interface Draw {
  winner: Racer;
  likeliest: Racer;
  /** Best quotient first. */
  racers: Racer[];
  /** Ascending temperature, the first from 0. */
  winners: { from: number; token: Token }[];
}
