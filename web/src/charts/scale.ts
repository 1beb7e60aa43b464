/** From numbers to pixels: lines and logarithms, and where an axis has its ticks. d3-scale's would bring formats and colours along. */

type Pair = readonly [number, number];

/** Maps `from` to `to` in a straight line, and on beyond both. */
export const linear = ([a, b]: Pair, [c, d]: Pair) => (value: number): number => c + ((value - a) / (b - a)) * (d - c);

/** The same by logarithms; everything must be positive. */
export function log(from: Pair, to: Pair) {
  const straight = linear([Math.log(from[0]), Math.log(from[1])], to);
  return (value: number): number => straight(Math.log(value));
}

/** Ticks of an axis from 0 to `end`: at most `count` steps of 1, 2 or 5 times a power of ten. */
export function roundTicks(end: number, count: number): number[] {
  const power = 10 ** Math.floor(Math.log10(end / count));
  const step = power * ([1, 2, 5].find((factor) => factor * power * count >= end) ?? 10);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}
