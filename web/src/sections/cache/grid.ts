/** Which columns and layers of the cache's grid are drawn. Pure. */
export interface GridLayout {
  left: number;
  columnWidth: number;
  /** Columns before the drawn ones. */
  folded: number;
  foldWidth: number;
  /** Dotted columns to come. */
  ahead: number;
  narrow: boolean;
}

export function gridLayout(width: number, tokens: number): GridLayout {
  const narrow = width < 560;
  const left = narrow ? 34 : 72;
  const room = Math.max(6, Math.floor((width - left) / 30));
  const columnWidth = (width - left) / room;
  const wanted = narrow ? 1 : 3;
  const drawn = room - wanted;
  const foldColumns = narrow ? 2 : 5;
  const folded = tokens <= drawn ? 0 : tokens - (drawn - foldColumns);
  const ahead = folded > 0 ? wanted : room - tokens;
  return { left, columnWidth, folded, foldWidth: foldColumns * columnWidth, ahead, narrow };
}

export interface LayerRow {
  key: string;
  /** From 1. */
  from: number;
  to: number;
  skipped: boolean;
}

/** All layers of a small model; of a deep one the first three, a row for those between, and the last. */
export function layerRows(layers: number): LayerRow[] {
  const one = (n: number): LayerRow => ({ key: String(n), from: n, to: n, skipped: false });
  if (layers <= 6) return Array.from({ length: layers }, (_, index) => one(index + 1));
  return [one(1), one(2), one(3), { key: 'skipped', from: 4, to: layers - 1, skipped: true }, one(layers)];
}
