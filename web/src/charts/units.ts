/** Thirty answers as a bar of thirty units: equal ones joined, different ones apart. Pure. */
export interface UnitBar {
  x: number;
  width: number;
}

/**
 * Bars for groups of these sizes, left to right. A unit is width / total wide; between groups lies a gap that is taken
 * from each group's right end, so that units stay where they are whatever the grouping.
 */
export function unitBars(counts: readonly number[], width: number, gap: number): UnitBar[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const unit = width / total;
  let from = 0;
  return counts.map((count) => {
    const bar = { x: from * unit, width: Math.max(1, count * unit - gap) };
    from += count;
    return bar;
  });
}
