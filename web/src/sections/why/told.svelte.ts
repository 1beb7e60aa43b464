/** How an experiment and its result are told, in the reader's language. */
import type { Experiment } from '$client/api';
import { decimal, integer, scientific } from '../../components/format.svelte';
import { fill } from '../../i18n/fill';
import { texts } from '../../i18n/index.svelte';
import { experimentText } from './guesses';

export function titleOf(name: string): string {
  const { key, n, m } = experimentText(name);
  return fill((texts().why.experiments as Record<string, string>)[key] ?? name, { n, m });
}

export function firstOf({ bitsEqual, firstDifference }: Experiment): string {
  const t = texts().why;
  if (bitsEqual) return t.noneAllBits;
  return firstDifference === null ? t.none : fill(t.nth, { n: integer(firstDifference) });
}

/** Two significant digits. The module tells none where logits were not finite. */
export function differenceOf({ largestDifference: value }: Pick<Experiment, 'largestDifference'>): string {
  if (value === null) return '∞';
  if (value === 0) return '0';
  return value < 0.001 ? scientific(value) : decimal(value, value < 0.01 ? 4 : value < 0.1 ? 3 : value < 1 ? 2 : 1);
}

export function verdictOf({ kind, bitsEqual, firstDifference }: Experiment): string {
  const t = texts().why.verdicts;
  if (kind === 'cache') return bitsEqual ? t.cache : t.cacheDiffers;
  if (kind === 'drawing') return firstDifference === null ? t.drawingSame : t.drawing;
  if (kind === 'bug') return firstDifference === null ? t.bugSame : t.bug;
  return firstDifference === null ? t.tradeSame : t.trade;
}
