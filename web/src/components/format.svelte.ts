/** Numbers for eyes, in the reader's language. Never for files: those texts are the core's. */
import { shownLanguage } from '../i18n/index.svelte';

const LOCALE = { ko: 'ko-KR', zh: 'zh-CN', en: 'en-US' } as const;
const cache = new Map<string, Intl.NumberFormat>();

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const language = shownLanguage();
  const key = language + JSON.stringify(options);
  let found = cache.get(key);
  if (!found) cache.set(key, (found = new Intl.NumberFormat(LOCALE[language], options)));
  return found;
}

/** 14,880 */
export const integer = (value: number): string => formatter({ maximumFractionDigits: 0 }).format(value);
/** 11.4372 with digits = 4: always that many. */
export const decimal = (value: number, digits: number): string =>
  formatter({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
/** 31.2% */
export function percent(value: number, digits = 1): string {
  const { format } = formatter({ style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits });
  // What is not nothing is not shown as nothing.
  const least = 10 ** -(digits + 2);
  return value > 0 && value < least / 2 ? `<${format(least)}` : format(value);
}
/** Three significant digits, as a scale's unit fits: 2.1 MB, 115만. */
export const compact = (value: number): string => formatter({ notation: 'compact', maximumSignificantDigits: 3 }).format(value);
/** 2.2 MB of a file. */
export const megabytes = (bytes: number): string => `${decimal(bytes / 1e6, 1)} MB`;
/** 0.08 ms, 6.7 ms, 460 ms. */
export const milliseconds = (value: number): string => `${decimal(value, value < 1 ? 2 : value < 100 ? 1 : 0)} ms`;
/** 207 µs, 7.94 µs, of a duration in seconds far below a millisecond. */
export function microseconds(duration: number): string {
  const value = duration * 1e6;
  return `${decimal(value, value < 10 ? 2 : value < 100 ? 1 : 0)} µs`;
}
/** 0.0212 s to about three digits. */
export const seconds = (value: number): string => `${decimal(value, value < 1 ? 3 : 2)} s`;
/** A difference that is not 0: 3.1e-5. */
export const scientific = (value: number): string => value.toExponential(1);
