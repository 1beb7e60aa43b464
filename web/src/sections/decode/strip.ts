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
}

export function stripLayout(width: number): StripLayout {
  const narrow = width < 560;
  const result = narrow ? 62 : 92;
  const arrow = narrow ? 14 : 26;
  const columns = Math.max(6, Math.min(16, Math.floor((width - result - arrow) / 51)));
  return { columns, foldColumns: narrow ? 2 : 3, result, arrow };
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
