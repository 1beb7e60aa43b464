/** What made a time, in words: threads, vectors, weights. */
import { fill } from '../../i18n/fill';
import { texts } from '../../i18n/index.svelte';
import { vectorBits, type Pair, type Spread } from './native';

type Made = Pick<Pair, 'threads' | 'kernels' | 'dtype'> & { partial?: boolean };

export function threadsOf({ threads }: Made): string {
  const t = texts().timing;
  return threads === null ? '–' : fill(threads === 1 ? t.oneThread : t.threads, { n: threads });
}
export function vectorsOf({ kernels }: Made): string {
  const bits = vectorBits(kernels);
  return bits === null ? kernels || '–' : fill(texts().timing.vectors, { n: bits, kernels });
}
export function describe(made: Made): string {
  return [threadsOf(made), vectorsOf(made), made.dtype, made.partial ? texts().timing.partial : ''].filter(Boolean).join(' · ');
}

/** The shortest and the longest, where they are known. */
export const ends = (side: Spread): number[] => (side.min === undefined || side.max === undefined ? [] : [side.min, side.max]);
