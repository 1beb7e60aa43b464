import type { DistributionView } from '$client/api';
import { percent } from '../../components/format.svelte';

/** A probability as it stands in the table: what would round to nothing says so. */
export const share = (value: number): string =>
  value > 0 && value < 0.00005 ? `<${percent(0.0001, 2)}` : percent(value, value < 0.01 ? 2 : 1);

/** What the whole width stands for: the least of a few round shares that holds every bar; always 1 before there is one. */
export function fullScale(view: Pick<DistributionView, 'top' | 'rest'> | null): number {
  if (!view) return 1;
  const largest = Math.max(view.rest.before, view.rest.now, ...view.top.flatMap(({ probability, now }) => [probability, now]));
  return [0.2, 0.6].find((full) => largest <= full) ?? 1;
}
