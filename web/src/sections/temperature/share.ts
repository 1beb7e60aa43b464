import { percent } from '../../components/format.svelte';

/** A probability as it stands in the table: what would round to nothing says so. */
export const share = (value: number): string =>
  value > 0 && value < 0.00005 ? `<${percent(0.0001, 2)}` : percent(value, value < 0.01 ? 2 : 1);
