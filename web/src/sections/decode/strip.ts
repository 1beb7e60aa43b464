/**
 * Which tokens of a strip are shown and which are folded. All columns are one token wide, in every row alike, so a
 * token and its cells are one vertical line. Pure.
 */
export interface StripLayout {
  columns: number;
  /** How many of them the fold takes when there is one. */
  foldColumns: number;
  /** Width of the box at the right with the chosen token, px. */
  result: number;
  arrow: number;
  /** Width of a column, px. */
  cell: number;
}

export function stripLayout(width: number): StripLayout {
  const narrow = width < 560;
  const result = narrow ? 62 : 92;
  const arrow = narrow ? 14 : 26;
  const columns = Math.max(6, Math.min(16, Math.floor((width - result - arrow) / 51)));
  return { columns, foldColumns: narrow ? 2 : 3, result, arrow, cell: (width - result - arrow) / columns - 3 };
}

/** Size in px at which a token stands in one line of its column, so that no word breaks inside; at least 10. */
export function tokenSize(text: string, cell: number, most = 16): number {
  const wide = [...text].reduce((sum, letter) => sum + (letter === ' ' ? 0.6 : /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/.test(letter) ? 0.98 : 0.6), 0);
  return Math.max(10, Math.min(most, Math.floor((cell - 2) / Math.max(1, wide))));
}

export interface StripWindow {
  folded: number;
  /** Places of the tokens shown, from 0. */
  shown: number[];
}

export function stripWindow(tokens: number, { columns, foldColumns }: StripLayout): StripWindow {
  const folded = tokens <= columns ? 0 : tokens - (columns - foldColumns);
  return { folded, shown: Array.from({ length: tokens - folded }, (_, index) => folded + index) };
}
