/**
 * Geometry of the top-p chart: probabilities by rank as bars that fill [rank, rank + 1) on a logarithmic axis, and the
 * cumulative curve over their middles. Pure; the numbers come from the module.
 */
import { linear, log } from './scale';

export interface CumulativeFrame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Of a bar's edge; rank 1 begins at `left`, the last one ends at `right`. */
  x: (edge: number) => number;
  /** Middle of a rank's bar as drawn. */
  middle: (rank: number) => number;
  /** Of a probability or a sum of them. */
  y: (value: number) => number;
  /** The sum at a height, 0 … 1. */
  value: (y: number) => number;
  /** The rank whose bar is there, from 1. */
  rank: (x: number) => number;
}

const MARGIN = { left: 40, right: 10, top: 26, bottom: 42 };
/** On the logarithmic axis whatever is rarer stands on the floor. */
export const TAIL_FLOOR = 1e-12;

export function cumulativeFrame(width: number, height: number, vocabSize: number, tail: boolean, smallest = TAIL_FLOOR): CumulativeFrame {
  const left = MARGIN.left;
  const right = Math.max(left + 40, width - MARGIN.right);
  const top = MARGIN.top;
  const bottom = height - MARGIN.bottom;
  const x = log([1, vocabSize + 1], [left, right]);
  const floor = 10 ** Math.floor(Math.log10(Math.max(TAIL_FLOOR, smallest)));
  const y = tail ? log([floor, 1], [bottom, top]) : linear([0, 1], [bottom, top]);
  const value = linear([bottom, top], [0, 1]);
  return {
    left,
    right,
    top,
    bottom,
    x,
    middle: (rank) => (x(rank) + x(rank + 1)) / 2,
    y: (share) => y(tail ? Math.max(floor, Math.min(1, share)) : share),
    value: (pixels) => Math.max(0, Math.min(1, value(pixels))),
    rank: (pixels) => Math.max(1, Math.min(vocabSize, Math.floor((vocabSize + 1) ** ((pixels - left) / (right - left))))),
  };
}

/**
 * Bars of the ranks `from` … `to` (1-based, both included). Where several ranks share half a pixel only the highest is
 * drawn; bars wide enough to be told apart keep a pixel between them.
 */
export function barsPath(frame: CumulativeFrame, probabilities: ArrayLike<number>, from: number, to: number): string {
  let path = '';
  for (let rank = from; rank <= to; ) {
    const start = frame.x(rank);
    let next = rank + 1;
    while (next <= to && frame.x(next) - start < 0.5) next += 1;
    const end = frame.x(next);
    const gap = end - start > 4 ? 1 : 0;
    const y = frame.y(probabilities[rank - 1] ?? 0);
    if (y < frame.bottom) path += `M${round(start)} ${frame.bottom}V${round(y)}H${round(end - gap)}V${frame.bottom}Z`;
    rank = next;
  }
  return path;
}

/** The curve through the middles of the ranks `from` … `to`, without points nobody could tell apart. */
export function curvePath(frame: CumulativeFrame, cumulative: ArrayLike<number>, from: number, to: number): string {
  let path = '';
  let lastX = -Infinity;
  let lastY = -Infinity;
  for (let rank = from; rank <= to; rank += 1) {
    const x = frame.middle(rank);
    const y = frame.y(cumulative[rank - 1] ?? 0);
    if (rank !== to && Math.abs(x - lastX) < 0.6 && Math.abs(y - lastY) < 0.6) continue;
    path += `${path ? 'L' : 'M'}${round(x)} ${round(y)}`;
    lastX = x;
    lastY = y;
  }
  return path;
}

/** 1, 10, 100 … and the last rank, unless the two would touch. */
export function rankTicks(frame: CumulativeFrame, vocabSize: number): number[] {
  const ticks: number[] = [];
  for (let rank = 1; rank <= vocabSize; rank *= 10) if (frame.right - frame.x(rank) > 56) ticks.push(rank);
  return [...ticks, vocabSize];
}

/** Powers of ten of the tail's axis, at most about six. */
export function tailTicks(smallest: number): number[] {
  const lowest = Math.floor(Math.log10(Math.max(TAIL_FLOOR, smallest)));
  const every = Math.max(1, Math.ceil(-lowest / 6));
  const ticks: number[] = [];
  for (let exponent = 0; exponent >= lowest; exponent -= every) ticks.push(exponent);
  return ticks;
}

/** To two places: half a hundred thousand characters less of path. */
const round = (value: number): number => Math.round(value * 100) / 100;

/** p as the slider takes it: hundredths from 0.01 to 1. */
export const snapP = (value: number): number => Math.min(1, Math.max(0.01, Math.round(value * 100) / 100));

/** The p that keeps the ranks down to this one, as near as hundredths come: the one that first exceeds p is the last kept. */
export function pAt(cumulative: ArrayLike<number>, rank: number): number {
  const [before, after] = [rank < 2 ? 0 : (cumulative[rank - 2] ?? 0), cumulative[rank - 1] ?? 1];
  return rank >= cumulative.length ? 1 : snapP((before + after) / 2);
}

/** What a key does to p; undefined for a key that is not the slider's. */
export function keyP(key: string, p: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
    case 'ArrowRight':
      return snapP(p + 0.01);
    case 'ArrowDown':
    case 'ArrowLeft':
      return snapP(p - 0.01);
    case 'PageUp':
      return snapP(p + 0.1);
    case 'PageDown':
      return snapP(p - 0.1);
    case 'Home':
      return snapP(0);
    case 'End':
      return 1;
    default:
      return undefined;
  }
}
