/** The three questions' possible answers, and how a stored set of answers is read back. Pure. */
export const SAME_GUESSES = ['same', 'sometimes', 'different'] as const;
export type SameGuess = (typeof SAME_GUESSES)[number];
/** Bytes of a cache of 100 tokens. */
export const BYTE_GUESSES = [2_000, 20_000, 200_000, 2_000_000] as const;
/** How many times faster 64 tokens come with the cache. */
export const SPEEDUP_GUESSES = [2, 10, 20, 50] as const;

export interface Predictions {
  same: SameGuess | null;
  bytes: number | null;
  speedup: number | null;
  skipped: boolean;
}

export const noPredictions = (): Predictions => ({ same: null, bytes: null, speedup: null, skipped: false });

/** Reads what was stored; anything else than the offered answers counts as none. */
export function readPredictions(stored: string | null): Predictions {
  const out = noPredictions();
  let found: unknown;
  try {
    found = JSON.parse(stored ?? 'null');
  } catch {
    return out;
  }
  if (typeof found !== 'object' || found === null) return out;
  const { same, bytes, speedup, skipped } = found as Record<string, unknown>;
  out.same = SAME_GUESSES.find((item) => item === same) ?? null;
  out.bytes = BYTE_GUESSES.find((item) => item === bytes) ?? null;
  out.speedup = SPEEDUP_GUESSES.find((item) => item === speedup) ?? null;
  out.skipped = skipped === true;
  return out;
}

/** Whether some value from the lowest to the highest measured one makes this the nearest answer. */
export function fits(offered: readonly number[], guess: number, low: number, high: number): boolean {
  const ends = [nearest(offered, low), nearest(offered, high)];
  return Math.min(...ends.map((end) => end ?? guess)) <= guess && guess <= Math.max(...ends.map((end) => end ?? guess));
}

/** The offered value nearest to a measured one, by ratio. */
export function nearest(offered: readonly number[], measured: number): number | undefined {
  const off = (value: number) => Math.abs(Math.log(value / measured));
  return [...offered].sort((a, b) => off(a) - off(b))[0];
}
