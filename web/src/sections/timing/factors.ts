/** Small readings of a Timing for the screen. Pure. */
import type { TimedRun, Timing } from '$client/api';
import { decimal } from '../../components/format.svelte';

/** How many times more a token costs with the cache: what stands between the token factor and the time factor. */
export const costRatio = (timing: Pick<Timing, 'tokenSeconds'>): number => timing.tokenSeconds.withCache / timing.tokenSeconds.withoutCache;

/** The run whose time is the median. */
export const medianRun = (runs: readonly TimedRun[], median: number): TimedRun | null => runs.find((run) => run.seconds === median) ?? runs[0] ?? null;

/** 207 µs, 7.94 µs: three digits of a duration far below a millisecond. */
export function microseconds(seconds: number): string {
  const value = seconds * 1e6;
  return `${decimal(value, value < 10 ? 2 : value < 100 ? 1 : 0)} µs`;
}
