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
  /** "demo · float16 · 2": what tells it from the others. */
  name: string;
  size: string;
  dtype: string;
  threads: number | null;
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
    const name = [row.size, dtype, row.threads].filter((part) => part !== '').join(' · ');
    const pair = found.get(name) ?? { name, size: row.size, dtype, threads: row.threads, partial: false };
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

export function rates(imported: ImportedTimings, pair: Pair): Rate[] {
  const out: Rate[] = [];
  for (const row of imported.results) {
    const match = RATE.exec(row.what);
    if (!match || row.unit !== 'tokens/s') continue;
    if (row.size !== pair.size || (match[3] ?? '') !== pair.dtype || row.threads !== pair.threads) continue;
    out.push({
      what: match[1] === 'prefill' ? 'prefill' : 'decode',
      tokens: Number(match[2]),
      size: row.size,
      dtype: pair.dtype,
      threads: row.threads,
      value: { median: row.median, min: row.min, max: row.max },
    });
  }
  return out;
}
