/** Small readings of a Timing for the screen. Pure. */
import type { TimedRun, Timing } from '$client/api';

/** How many times more a token costs with the cache: what stands between the token factor and the time factor. */
export const costRatio = (timing: Pick<Timing, 'tokenSeconds'>): number => timing.tokenSeconds.withCache / timing.tokenSeconds.withoutCache;

/** The run whose time is the median. */
export const medianRun = (runs: readonly TimedRun[], median: number): TimedRun | null => runs.find((run) => run.seconds === median) ?? runs[0] ?? null;
