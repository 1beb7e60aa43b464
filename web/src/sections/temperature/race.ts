/**
 * The race behind one draw, on a logarithmic line: a token stands at its probability, its noise moves it (by a division, so
 * by the same way at every temperature), and who ends furthest to the right wins. Pure.
 */
import type { Racer } from '$client/api';

export interface Lane {
  /** 0 … 1 along the line: where the probability stands, and where the quotient ends. */
  start: number;
  end: number;
}

/** Powers of ten at the two ends of the line: all that is shown lies between, and quotients of use are never far below 1. */
export function scaleOf(racers: readonly Racer[]): { low: number; high: number } {
  const values = racers.flatMap(({ probability, quotient }) => [probability, quotient]).filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...values, 0.1)));
  const high = Math.ceil(Math.log10(Math.max(...values, 1)));
  return { low: Math.max(low, high - 8), high };
}

export function laneOf({ probability, quotient }: Racer, { low, high }: { low: number; high: number }): Lane {
  const at = (value: number) => Math.min(1, Math.max(0, ((value > 0 ? Math.log10(value) : low) - low) / (high - low)));
  return { start: at(probability), end: at(quotient) };
}

/** The rows that are shown: the first of the race, and the likeliest wherever it ended. */
export function shownRacers(racers: readonly Racer[], likeliest: Racer): readonly Racer[] {
  return racers.some(({ token }) => token.id === likeliest.token.id) ? racers : [...racers.slice(0, -1), likeliest];
}
