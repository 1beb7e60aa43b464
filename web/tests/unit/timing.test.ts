import type { ImportedTimings } from '$client/api';
import { describe, expect, it } from 'vitest';
import { costRatio, explanation, medianRun } from '../../src/sections/timing/factors';
import { choose, nativeRows, pairs, rates, shares } from '../../src/sections/timing/native';

const row = (size: string, what: string, threads: number, median: number, unit: string, kernels = 'avx512') => ({ size, what, threads, kernels, median, min: median * 0.9, max: median * 1.1, unit });
const bench: ImportedTimings = {
  kind: 'bench',
  machine: 'a CPU',
  madeUpWeights: true,
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
      ['lab · float16 · 1 · avx512', false],
      ['minimind-3 · float32 · 1 · avx512', true],
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
    // Depths that `--contexts` adds stand beside each other; a row that is there twice does not.
    const deeper = { ...bench, results: [...bench.results, ...bench.results, row('lab', 'decode after 512, float16', 1, 5000, 'tokens/s')] };
    expect(rates(deeper, pair).map(({ what, tokens }) => `${what} ${tokens}`)).toEqual(['prefill 201', 'decode 201', 'decode 512']);
  });
  it('may hold nothing of step 3', () => {
    expect(pairs({ ...bench, results: [] })).toEqual([]);
  });
});

describe('native beside the browser', () => {
  const both = (what: string, threads: number, kernels: string, without: number) => [
    row('demo', `step 3 with cache, ${what}`, threads, without / 30, 's', kernels),
    row('demo', `step 3 without cache, ${what}`, threads, without, 's', kernels),
  ];
  const live = pairs({
    ...bench,
    results: [...both('float32', 1, 'sse2', 2), ...both('float32', 1, 'avx512', 0.8), ...both('float16', 1, 'avx512', 0.5), ...both('float16', 2, 'avx512', 0.25)],
  });
  const name = (one: { name: string } | null) => one?.name;
  it('shows three rows: as the browser, one thread at its best, all threads', () => {
    expect(nativeRows(live, 'demo').map(({ role, pair }) => [role, name(pair)])).toEqual([
      ['like', 'demo · float32 · 1 · sse2'],
      ['one', 'demo · float16 · 1 · avx512'],
      ['all', 'demo · float16 · 2 · avx512'],
    ]);
  });
  it('takes the ratio apart, and the parts make up the whole', () => {
    const found = shares(live, 'demo', 3);
    expect(found).toMatchObject({ program: 1.5, vectors: 2.5, bits: 1.6, threads: 2, whole: 12 });
    // Each row's runs go from 0.9 to 1.1 of its median.
    expect(found?.spread).toBeCloseTo(1.1 / 0.9);
    expect(shares(live, 'demo', null)).toMatchObject({ program: null, whole: 8 });
  });
  it('gives 16 bits nothing where float32 is quicker', () => {
    const quick = live.map((pair) => (pair.dtype === 'float16' ? { ...pair, dtype: 'float32', kernels: 'avx512' } : pair)).filter((pair, index) => index !== 2);
    expect(shares(quick, 'demo', null)).toMatchObject({ bits: 1, vectors: 2.5 });
  });
  it('takes nothing apart where the browser’s own conditions were not measured', () => {
    const wide = live.filter((pair) => pair.kernels !== 'sse2');
    expect(choose(wide, 'demo').like).toBeNull();
    expect(shares(wide, 'demo', 3)).toBeNull();
  });
});

describe('a time.json', () => {
  it('is one pair without runs', () => {
    const [pair] = pairs({ kind: 'time', machine: '', madeUpWeights: false, results: [], time: { withCacheSeconds: 0.05, withoutCacheSeconds: 2, speedup: 40 } });
    expect(pair).toMatchObject({ name: 'time.json', withCache: { median: 0.05 }, withoutCache: { median: 2 }, speedup: 40, threads: null, kernels: '' });
    expect(pair && nativeRows([pair], '')).toEqual([{ role: 'file', pair }]);
  });
});

describe('a Timing', () => {
  it('is read, not computed again', () => {
    expect(costRatio({ tokenSeconds: { withCache: 3e-4, withoutCache: 1e-4, firstStep: 1e-4, laterSteps: 9e-4 } })).toBeCloseTo(3);
    const runs = [0.3, 0.1, 0.2].map((seconds) => ({ seconds, firstStepSeconds: seconds / 2 }));
    expect(medianRun(runs, 0.2)).toBe(runs[2]);
    expect(medianRun([], 0.2)).toBeNull();
  });
  it('is explained only where the difference is larger than the spread, and on the right side', () => {
    const of = (cost: number, spread: number) => explanation({ tokenSeconds: { withCache: cost, withoutCache: 1, firstStep: 1, laterSteps: 1 }, spread });
    expect(of(5.3, 1.1)).toBe('explained');
    expect(of(5.3, 2)).toBe('explained');
    expect(of(1.3, 1.6)).toBe('unsteady');
    expect(of(0.58, 1.9)).toBe('unsteady');
    expect(of(0.58, 1.1)).toBe('opposite');
  });
});
