/** Where the attention figure puts things, and which of its tokens is looked at. Pure. */
export interface Triangle {
  /** Of the first cell. */
  left: number;
  top: number;
  /** Width and height of a cell. */
  cell: number;
  width: number;
  height: number;
  /** Baseline of the bars over the columns. */
  bars: number;
}

/** Letters of a column's name, which stand under each other. */
export const LETTERS = 5;
const LETTER = 13;
const BARS = 64;
/** A name is wider than a narrow column and taller than a low row. */
const EDGE = 5;
const MOST = 44;
/** The triangle and what explains it fit on a laptop's screen together. */
const HEIGHT = 540;

/** How many of the newest tokens have room. */
export const windowFor = (width: number): number => (width < 560 ? 10 : 20);

export function triangle(width: number, tokens: number): Triangle {
  const count = Math.max(1, tokens);
  const left = width < 560 ? 72 : 96;
  const cell = Math.max(8, Math.min(MOST, Math.floor((width - left - EDGE) / count), Math.floor(HEIGHT / count)));
  const top = BARS + LETTERS * LETTER + 10;
  return { left, top, cell, bars: BARS, width: Math.max(left + cell * count + EDGE, Math.min(width, 320)), height: top + cell * count + EDGE };
}

/** A row of the triangle by its token; the newest when the chosen one is no longer shown. */
export const rowOf = (chosen: number | null, from: number, tokens: number): number =>
  chosen === null || chosen < from || chosen >= from + tokens ? tokens - 1 : chosen - from;

/** Weights that a forward pass computes for one head: the whole triangle, or its last row. */
export const cellsOf = (tokens: number): { all: number; row: number } => ({ all: (tokens * (tokens + 1)) / 2, row: tokens });
