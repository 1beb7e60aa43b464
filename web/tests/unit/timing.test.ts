import type { ImportedTimings } from '$client/api';
import { describe, expect, it } from 'vitest';
import { costRatio, medianRun } from '../../src/sections/timing/factors';
import { pairs, rates } from '../../src/sections/timing/native';

const row = (size: string, what: string, threads: number, median: number, unit: string) => ({ size, what, threads, median, min: median * 0.9, max: median * 1.1, unit });
const bench: ImportedTimings = {
  kind: 'bench',
  machine: 'a CPU',
  time: null,
  results: [
    row('lab', 'multiply-add peak', 1, 90, 'GFLOP/s'),
    row('lab', 'prefill 201, float16', 1, 30000, 'tokens/s'),
    row('lab', 'decode after 201, float16', 1, 9000, 'tokens/s'),
    row('lab', 'step 3 with cache, float16', 1, 0.01, 's'),
    row('lab', 'step 3 without cache, float16', 1, 0.3, 's'),
    row('lab', 'step 3 with cache, float32', 2, 0.008, 's'),
    row('minimind-3', 'step 3 with cache, float32', 1, 1, 's'),
    row('minimind-3', 'step 3 without cache, float32, from 2 of 64 steps', 1, 20, 's'),
  ],
};

describe('a bench.json', () => {
  it('gives the pairs of step 3 that are whole', () => {
    expect(pairs(bench).map(({ name, partial }) => [name, partial])).toEqual([
      ['lab · float16 · 1', false],
      ['minimind-3 · float32 · 1', true],
    ]);
    expect(pairs(bench)[0]?.speedup).toBeCloseTo(30);
    expect(pairs(bench)[0]?.withCache).toEqual({ median: 0.01, min: 0.009000000000000001, max: 0.011000000000000001 });
  });
  it('gives the rates of the same model, type and threads', () => {
    const [pair, other] = pairs(bench);
    if (!pair || !other) throw new Error('no pair');
    expect(rates(bench, pair).map(({ what, tokens, value }) => [what, tokens, value.median])).toEqual([
      ['prefill', 201, 30000],
      ['decode', 201, 9000],
    ]);
    expect(rates(bench, other)).toEqual([]);
  });
  it('may hold nothing of step 3', () => {
    expect(pairs({ ...bench, results: [] })).toEqual([]);
  });
});

describe('a time.json', () => {
  it('is one pair without runs', () => {
    const [pair] = pairs({ kind: 'time', machine: '', results: [], time: { withCacheSeconds: 0.05, withoutCacheSeconds: 2, speedup: 40 } });
    expect(pair).toMatchObject({ name: 'time.json', withCache: { median: 0.05 }, withoutCache: { median: 2 }, speedup: 40, threads: null });
  });
});

describe('a Timing', () => {
  it('is read, not computed again', () => {
    expect(costRatio({ tokenSeconds: { withCache: 3e-4, withoutCache: 1e-4, firstStep: 1e-4, laterSteps: 9e-4 } })).toBeCloseTo(3);
    const runs = [0.3, 0.1, 0.2].map((seconds) => ({ seconds, firstStepSeconds: seconds / 2 }));
    expect(medianRun(runs, 0.2)).toBe(runs[2]);
    expect(medianRun([], 0.2)).toBeNull();
  });
});
