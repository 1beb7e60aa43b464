/**
 * Stands in for d3-interpolate in the build (vite.config.ts): the scales of this page go from numbers to pixels, and
 * the original would bring every colour space along.
 */
export const interpolateNumber = (a: number, b: number) => (t: number): number => a * (1 - t) + b * t;
export const interpolateRound = (a: number, b: number) => (t: number): number => Math.round(a * (1 - t) + b * t);
export const interpolate = interpolateNumber;
/** Of diverging scales only, which nothing here uses. */
export const piecewise = (): never => {
  throw new Error('diverging scales are left out of this build');
};
