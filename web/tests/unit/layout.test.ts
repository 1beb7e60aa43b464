/** Where things are drawn: strip, grid of the cache, chart of the work. */
import { describe, expect, it } from 'vitest';
import { rowsPath, workFrame } from '../../src/charts/work';
import { linear, log, roundTicks } from '../../src/charts/scale';
import { gridLayout, layerRows } from '../../src/sections/cache/grid';
import { stripLayout, tokenSize, stripWindow } from '../../src/sections/decode/strip';

describe('the strip', () => {
  it.each([328, 704, 968, 1600])('shows the last tokens and folds the rest at %i px', (width) => {
    const layout = stripLayout(width);
    for (const tokens of [1, 5, layout.columns, layout.columns + 1, 201, 264]) {
      const { folded, shown } = stripWindow(tokens, layout);
      expect(folded + shown.length).toBe(tokens);
      expect(shown.at(-1)).toBe(tokens - 1);
      expect(shown.length + (folded > 0 ? layout.foldColumns : 0)).toBeLessThanOrEqual(layout.columns);
    }
  });
  it('folds nothing that has room', () => {
    const layout = stripLayout(968);
    expect(stripWindow(layout.columns, layout).folded).toBe(0);
  });
});

describe("the cache's grid", () => {
  it.each([328, 968])('accounts for every column at %i px', (width) => {
    for (const tokens of [0, 1, 7, 25, 26, 27, 28, 29, 30, 31, 264]) {
      const { left, columnWidth, folded, foldWidth, ahead } = gridLayout(width, tokens);
      expect(folded).toBeGreaterThanOrEqual(0);
      expect(ahead).toBeGreaterThan(0);
      expect(left + (folded > 0 ? foldWidth : 0) + (tokens - folded + ahead) * columnWidth).toBeLessThanOrEqual(width + 0.01);
    }
  });
  it('names every layer once', () => {
    for (const layers of [1, 4, 6, 7, 8, 32]) {
      const rows = layerRows(layers);
      expect(rows.length).toBeLessThanOrEqual(6);
      const named = rows.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
      expect(named).toEqual(Array.from({ length: layers }, (_, index) => index + 1));
    }
  });
});

describe('the chart of the work', () => {
  const frame = workFrame(400, 290, 264, 64);
  it('uses the whole frame', () => {
    expect([frame.x(0), frame.x(264), frame.y(0), frame.y(64)]).toEqual([frame.left, frame.right, frame.top, frame.bottom]);
  });
  it('draws stairs: each row as wide as its cells', () => {
    const unit = workFrame(48 + 10, 52 + 2, 10, 2);
    expect(rowsPath(unit, [{ start: 0, end: 3 }, { start: 0, end: 4 }])).toBe('M43 26L43 27L44 27L44 28L40 28L40 27L40 27L40 26Z');
    expect(rowsPath(unit, [])).toBe('');
  });
});

describe('scales', () => {
  it('are straight in numbers or in logarithms', () => {
    const straight = linear([0, 200], [300, 20]);
    expect([straight(0), straight(50), straight(200), straight(400)]).toEqual([300, 230, 20, -260]);
    const powers = log([1, 1000], [0, 90]);
    expect([powers(1), powers(10), powers(1000)].map(Math.round)).toEqual([0, 30, 90]);
  });
  it.each([[1, [0, 0.2, 0.4, 0.6, 0.8, 1]], [400, [0, 100, 200, 300, 400]], [530, [0, 200, 400]], [7, [0, 2, 4, 6]], [9999, [0, 2000, 4000, 6000, 8000]]])(
    'have round ticks up to %d',
    (end, expected) => {
      expect(roundTicks(end, 5).map((tick) => Math.round(tick * 1e6) / 1e6)).toEqual(expected);
    },
  );
});

it('a token stands in one line of its column: words never break inside', () => {
  for (const width of [328, 358, 704, 968]) {
    const { cell } = stripLayout(width);
    for (const text of [' 강아지', ' 걸었다', '민수는', ' 할머니는', 'tokens']) {
      const size = tokenSize(text, cell);
      expect(size).toBeGreaterThanOrEqual(10);
      expect(size).toBeLessThanOrEqual(16);
    }
    expect(tokenSize(' 강아지', cell) * 3.6).toBeLessThanOrEqual(cell + 1);
  }
});
