import type { DistributionView } from '$client/api';
import { decimal, percent } from '../../components/format.svelte';

/** A probability as it stands in the table: what would round to nothing says so. */
export const share = (value: number): string =>
  value > 0 && value < 0.00005 ? `<${percent(0.0001, 2)}` : percent(value, value < 0.01 ? 2 : 1);

/** What the whole width stands for: the least of a few round shares that holds every bar; always 1 before there is one. */
export function fullScale(view: Pick<DistributionView, 'top' | 'rest'> | null): number {
  if (!view) return 1;
  const largest = Math.max(view.rest.before, view.rest.now, ...view.top.flatMap(({ probability, now }) => [probability, now]));
  return [0.2, 0.6].find((full) => largest <= full) ?? 1;
}

/** Three significant digits, as fine as what is multiplied on the screen needs: 0.0854, 3.36, 142, 1.2e-5. */
export function threeDigits(value: number): string {
  if (value === 0) return '0';
  const order = Math.floor(Math.log10(Math.abs(value)));
  return order < -4 || order > 5 ? value.toExponential(1) : decimal(value, Math.max(0, 2 - order));
}
