import { describe, expect, it } from 'vitest';
import { barsPath, cumulativeFrame, curvePath, keyP, pAt, rankTicks, snapP, tailTicks } from '../../src/charts/cumulative';

const V = 2048;
/** Zipf, sorted: as a sharp vocabulary looks. */
const probabilities = Float32Array.from({ length: V }, (_, index) => 1 / (index + 1) ** 1.5);
const total = probabilities.reduce((a, b) => a + b, 0);
for (let i = 0; i < V; i += 1) probabilities[i] = (probabilities[i] ?? 0) / total;
const cumulative = Float32Array.from(probabilities);
for (let i = 1; i < V; i += 1) cumulative[i] = (cumulative[i] ?? 0) + (cumulative[i - 1] ?? 0);

const numbers = (path: string) => [...path.matchAll(/-?\d+(?:\.\d+)?/g)].map(([found]) => Number(found));

describe('the frame', () => {
  const frame = cumulativeFrame(460, 300, V, false);
  it('spans the whole vocabulary', () => {
    expect(frame.x(1)).toBeCloseTo(frame.left);
    expect(frame.x(V + 1)).toBeCloseTo(frame.right);
    expect(frame.y(0)).toBe(frame.bottom);
    expect(frame.y(1)).toBe(frame.top);
  });
  it('reads p back from a height', () => {
    for (const p of [0, 0.1, 0.5, 0.9, 1]) expect(frame.value(frame.y(p))).toBeCloseTo(p);
    expect(frame.value(frame.top - 50)).toBe(1);
    expect(frame.value(frame.bottom + 50)).toBe(0);
  });
  it('reads a rank back from a place, and the p that cuts there', () => {
    for (const rank of [1, 2, 17, 500, V]) expect(frame.rank(frame.middle(rank))).toBe(rank);
    expect(frame.rank(-50)).toBe(1);
    expect(frame.rank(9999)).toBe(V);
    const keeps = (p: number) => cumulative.findIndex((sum) => sum > p) + 1;
    for (const rank of [1, 2, 3, 5]) expect(keeps(pAt(cumulative, rank))).toBe(rank);
    expect(pAt(cumulative, V)).toBe(1);
    expect(pAt(cumulative, 1)).toBeGreaterThanOrEqual(0.01);
  });
  it('puts what is rarer than the floor on the floor of the tail', () => {
    const tail = cumulativeFrame(460, 300, V, true, 1e-4);
    expect(tail.y(1)).toBe(tail.top);
    expect(tail.y(1e-4)).toBeCloseTo(tail.bottom);
    expect(tail.y(0)).toBeCloseTo(tail.bottom);
    expect(tail.y(1e-2)).toBeCloseTo((tail.top + tail.bottom) / 2);
  });
});

describe('paths', () => {
  const frame = cumulativeFrame(460, 300, V, false);
  it('draws few enough points for any vocabulary, and all inside the plot', () => {
    for (const path of [barsPath(frame, probabilities, 1, V), curvePath(frame, cumulative, 1, V)]) {
      expect(path.length).toBeLessThan(40_000);
      expect(path).not.toContain('NaN');
      for (const value of numbers(path)) expect(value).toBeGreaterThanOrEqual(0);
    }
  });
  it('splits at the cut without a hole or an overlap', () => {
    const edges = (path: string, letter: string) => [...path.matchAll(new RegExp(`${letter}(-?[\\d.]+)`, 'g'))].map(([, found]) => Number(found));
    const kept = barsPath(frame, probabilities, 1, 17);
    const dropped = barsPath(frame, probabilities, 18, V);
    expect(edges(kept, 'M')[0]).toBeCloseTo(frame.left, 1);
    expect(edges(dropped, 'M')[0]).toBeCloseTo(frame.x(18), 1);
    // A pixel lies between bars that are wide enough.
    expect(frame.x(18) - Math.max(...edges(kept, 'H'))).toBeLessThanOrEqual(1.01);
    expect(Math.max(...edges(dropped, 'H'))).toBeCloseTo(frame.right, 1);
  });
  it('ends the curve at the last rank', () => {
    const points = numbers(curvePath(frame, cumulative, 1, V));
    expect(points.at(-2)).toBeCloseTo(frame.middle(V), 1);
    expect(points.at(-1)).toBeCloseTo(frame.top, 0);
  });
  it('draws nothing for no ranks', () => {
    expect(barsPath(frame, probabilities, V + 1, V)).toBe('');
    expect(curvePath(frame, cumulative, V + 1, V)).toBe('');
  });
  it('shows every rank of a small vocabulary as its own bar', () => {
    const small = cumulativeFrame(460, 300, 5, false);
    expect(barsPath(small, [0.5, 0.2, 0.1, 0.1, 0.1], 1, 5).match(/Z/g)).toHaveLength(5);
  });
});

describe('ticks', () => {
  it('are powers of ten and the last rank', () => {
    expect(rankTicks(cumulativeFrame(460, 300, V, false), V)).toEqual([1, 10, 100, V]);
    expect(rankTicks(cumulativeFrame(900, 300, 6400, false), 6400)).toEqual([1, 10, 100, 1000, 6400]);
    expect(rankTicks(cumulativeFrame(320, 300, 1100, false), 1100)).toEqual([1, 10, 100, 1100]);
  });
  it('of the tail are at most seven', () => {
    expect(tailTicks(1e-3)).toEqual([0, -1, -2, -3]);
    for (const smallest of [1e-2, 1e-6, 1e-9, 1e-30, 0]) expect(tailTicks(smallest).length).toBeLessThanOrEqual(7);
  });
});

describe('p', () => {
  it('is hundredths from 0.01 to 1', () => {
    expect([-1, 0, 0.004, 0.897, 0.995, 1, 3].map(snapP)).toEqual([0.01, 0.01, 0.01, 0.9, 1, 1, 1]);
  });
  it('follows the keys of a slider and no other', () => {
    expect(keyP('ArrowUp', 0.9)).toBe(0.91);
    expect(keyP('ArrowLeft', 0.9)).toBe(0.89);
    expect(keyP('PageDown', 0.9)).toBe(0.8);
    expect(keyP('PageUp', 0.95)).toBe(1);
    expect(keyP('Home', 0.5)).toBe(0.01);
    expect(keyP('End', 0.5)).toBe(1);
    expect(keyP('Tab', 0.5)).toBeUndefined();
  });
});
