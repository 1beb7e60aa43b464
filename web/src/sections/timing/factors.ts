/** Small readings of a Timing for the screen. Pure. */
import type { TimedRun, Timing } from '$client/api';

/** How many times more a token costs with the cache: what stands between the token factor and the time factor. */
export const costRatio = (timing: Pick<Timing, 'tokenSeconds'>): number => timing.tokenSeconds.withCache / timing.tokenSeconds.withoutCache;

/** The run whose time is the median. */
export const medianRun = (runs: readonly TimedRun[], median: number): TimedRun | null => runs.find((run) => run.seconds === median) ?? runs[0] ?? null;

/** As the report: from here on a spread leaves room for chance. */
export const UNSTEADY = 1.2;

/**
 * What may be said of why the time factor is not the token factor. "unsteady": the runs differ by as much as the two
 * factors do, so the difference may be chance; "opposite": a token came out cheaper with the cache, which no fixed cost
 * explains.
 */
export function explanation(timing: Pick<Timing, 'tokenSeconds' | 'spread'>): 'explained' | 'unsteady' | 'opposite' {
  const cost = costRatio(timing);
  if (timing.spread > 1 && timing.spread >= Math.max(cost, 1 / cost)) return 'unsteady';
  return cost > 1 ? 'explained' : 'opposite';
}
