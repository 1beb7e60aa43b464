/**
 * What of a time.json or a bench.json is drawn: pairs of step 3 with and without the cache, and rates. Pure; the core
 * has read and checked the file.
 */
import type { ImportedTimings } from '$client/api';

export interface Spread {
  median: number;
  /** Absent in a time.json. */
  min?: number;
  max?: number;
}
export interface Pair {
  /** "demo · float16 · 2 · avx512": what tells it from the others. */
  name: string;
  size: string;
  dtype: string;
  threads: number | null;
  /** Instruction set of the kernels: "sse2", "avx512"; '' in a time.json. */
  kernels: string;
  withCache: Spread;
  withoutCache: Spread;
  speedup: number;
  /** Not all steps were timed. */
  partial: boolean;
}
export interface Rate {
  what: 'prefill' | 'decode';
  tokens: number;
  size: string;
  dtype: string;
  threads: number;
  kernels: string;
  value: Required<Spread>;
}

const STEP3 = /^step 3 (with|without) cache(?:, ([a-z]+\d+))?/;
const RATE = /^(prefill|decode after) (\d+)(?:, ([a-z]+\d+))?$/;

export function pairs(imported: ImportedTimings): Pair[] {
  if (imported.time) {
    const { withCacheSeconds, withoutCacheSeconds, speedup } = imported.time;
    return [
      {
        name: 'time.json',
        size: '',
        dtype: '',
        threads: null,
        kernels: '',
        withCache: { median: withCacheSeconds },
        withoutCache: { median: withoutCacheSeconds },
        speedup,
        partial: false,
      },
    ];
  }
  const found = new Map<string, Partial<Pair> & { name: string }>();
  for (const row of imported.results) {
    const match = STEP3.exec(row.what);
    if (!match || row.unit !== 's') continue;
    const dtype = match[2] ?? '';
    const name = [row.size, dtype, row.threads, row.kernels].filter((part) => part !== '').join(' · ');
    const pair = found.get(name) ?? { name, size: row.size, dtype, threads: row.threads, kernels: row.kernels, partial: false };
    const value = { median: row.median, min: row.min, max: row.max };
    if (match[1] === 'with') pair.withCache = value;
    else {
      pair.withoutCache = value;
      pair.partial = row.what.includes(' of 64 steps');
    }
    found.set(name, pair);
  }
  const whole: Pair[] = [];
  for (const pair of found.values()) {
    if (!pair.withCache || !pair.withoutCache) continue;
    whole.push({ ...(pair as Pair), speedup: pair.withoutCache.median / pair.withCache.median });
  }
  return whole;
}

/** One of each kind and depth: what a file says twice is not shown twice. */
export function rates(imported: ImportedTimings, pair: Pair): Rate[] {
  const out = new Map<string, Rate>();
  for (const row of imported.results) {
    const match = RATE.exec(row.what);
    if (!match || row.unit !== 'tokens/s') continue;
    if (row.size !== pair.size || (match[3] ?? '') !== pair.dtype || row.threads !== pair.threads || row.kernels !== pair.kernels) continue;
    out.set(`${match[1]} ${match[2]}`, {
      what: match[1] === 'prefill' ? 'prefill' : 'decode',
      tokens: Number(match[2]),
      size: row.size,
      dtype: pair.dtype,
      threads: row.threads,
      kernels: row.kernels,
      value: { median: row.median, min: row.min, max: row.max },
    });
  }
  return [...out.values()];
}

/** Bits of a vector register, by instruction set. */
const VECTOR_BITS: Readonly<Record<string, number>> = { sse2: 128, neon: 128, simd128: 128, avx2: 256, avx512: 512 };
export const vectorBits = (kernels: string): number | null => VECTOR_BITS[kernels] ?? null;

/** What the module in this browser has: weights are widened when they are loaded. */
export const BROWSER = { threads: 1, kernels: 'simd128', dtype: 'float32' } as const;

/** Of the many pairs of one model the three that say something; those that were not measured are null. */
export interface Chosen {
  /** As the browser does it: one thread, float32, vectors as wide. */
  like: Pair | null;
  /** The quickest on one thread, when that is another. */
  one: Pair | null;
  /** The quickest on the most threads. */
  all: Pair | null;
}

const quickest = (list: readonly Pair[]): Pair | null =>
  list.reduce<Pair | null>((best, pair) => (best && best.withoutCache.median <= pair.withoutCache.median ? best : pair), null);

/** @param size which model of a bench.json */
export function choose(all: readonly Pair[], size: string): Chosen {
  const here = all.filter((pair) => pair.size === size);
  const most = Math.max(...here.map((pair) => pair.threads ?? 0));
  const like = here.find((pair) => pair.threads === 1 && pair.dtype === BROWSER.dtype && vectorBits(pair.kernels) === vectorBits(BROWSER.kernels)) ?? null;
  const one = quickest(here.filter((pair) => pair.threads === 1));
  return { like, one: one === like ? null : one, all: most > 1 ? quickest(here.filter((pair) => pair.threads === most)) : null };
}

export interface NativeRow {
  role: 'like' | 'one' | 'all' | 'file';
  pair: Pair;
}
/** What is drawn of a source, quickest last. */
export function nativeRows(all: readonly Pair[], size: string): NativeRow[] {
  if (all.length === 1 && all[0]?.threads === null) return [{ role: 'file', pair: all[0] }];
  const { like, one, all: team } = choose(all, size);
  return [
    ...(like ? [{ role: 'like' as const, pair: like }] : []),
    ...(one ? [{ role: 'one' as const, pair: one }] : []),
    ...(team ? [{ role: 'all' as const, pair: team }] : []),
  ];
}

/** How many times as quick each step makes it, without the cache; their product is the whole. */
export interface Shares {
  /** From the browser to the same work natively; null when the browser did other work or none. */
  program: number | null;
  vectors: number;
  bits: number;
  threads: number;
  whole: number;
  /** The longest of one side's runs ÷ the shortest, of the native measurements it rests on. */
  spread: number;
}

/**
 * Takes a ratio apart: browser → the same natively → wider vectors → weights of 16 bits → all threads. Null where a
 * stage between was not measured.
 */
export function shares(all: readonly Pair[], size: string, browserSeconds: number | null): Shares | null {
  const { like, one, all: team } = choose(all, size);
  const last = team ?? one;
  if (!like || !last) return null;
  const single = all.filter((pair) => pair.size === size && pair.threads === 1 && pair.kernels === last.kernels);
  const wide = single.find((pair) => pair.dtype === like.dtype);
  const same = single.find((pair) => pair.dtype === last.dtype);
  if (!wide || !same) return null;
  const time = (pair: Pair) => pair.withoutCache.median;
  const spread = ({ withoutCache: { min, max } }: Pair) => (min && max ? max / min : 1);
  return {
    program: browserSeconds === null ? null : browserSeconds / time(like),
    vectors: time(like) / time(wide),
    bits: time(wide) / time(same),
    threads: time(same) / time(last),
    whole: (browserSeconds ?? time(like)) / time(last),
    spread: Math.max(...[like, wide, same, last].map(spread)),
  };
}
