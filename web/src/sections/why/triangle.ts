/** Where the attention figure puts things, and which of its tokens is looked at. Pure. */
export interface Triangle {
  left: number;
  top: number;
  cell: number;
  width: number;
  height: number;
}

/** Bars stand above the triangle. */
export const BARS = 76;
const MOST = 34;

/** How many of the newest tokens have room. */
export const windowFor = (width: number): number => (width < 560 ? 10 : 20);

export function triangle(width: number, tokens: number): Triangle {
  const left = width < 560 ? 72 : 104;
  const cell = Math.max(12, Math.min(MOST, Math.floor((width - left) / Math.max(1, tokens))));
  return { left, top: BARS, cell, width: left + cell * tokens, height: BARS + cell * tokens };
}

/** A row of the triangle by its token; the newest when the chosen one is no longer shown. */
export const rowOf = (chosen: number | null, from: number, tokens: number): number =>
  chosen === null || chosen < from || chosen >= from + tokens ? tokens - 1 : chosen - from;

/** Whether a row's weights and what it gives to the folded tokens make one whole, as softmax promises. */
export const sumsToOne = (row: readonly number[], folded: number): boolean => Math.abs(row.reduce((sum, weight) => sum + weight, folded) - 1) < 1e-4;
