/** The lab's three temperatures, and how a temperature is written: as in temp.json, so "1.0" and not "1". Pure. */
export const LAB_TEMPERATURES = [0.3, 1, 1.5] as const;

/** 0.3, 1.0, 0.85: at least one decimal, at most two. */
export const written = (temperature: number): string => {
  const text = String(Number(temperature.toFixed(2)));
  return text.includes('.') ? text : `${text}.0`;
};

/** How thirty answers are drawn. */
export interface Conditions {
  temperature: number;
  /** 0 when absent, the lab's. */
  seed?: bigint;
  /** 1 when absent: nothing is cut. */
  topP?: number;
}
/** Under which name answers are kept: a seed of the reader's own never passes for the lab's. */
export const answersKey = ({ temperature, seed = 0n, topP = 1 }: Conditions): string =>
  [written(temperature), seed === 0n ? '' : seed, topP === 1 ? '' : `p ${topP}`].filter((part) => part !== '').join(' · ');

/** What is still to be asked: the lab's temperatures, and the slider's when it is another one. */
export function missing(slider: number, seed: bigint, have: Readonly<Record<string, unknown>>): number[] {
  const wanted: number[] = [...LAB_TEMPERATURES];
  if (!wanted.some((one) => written(one) === written(slider))) wanted.push(slider);
  return wanted.filter((temperature) => !(answersKey({ temperature, seed }) in have));
}

const SEED = /^-?\d{1,20}$/;
/** torch.manual_seed's range, −2^63 … 2^64 − 1; undefined for anything else. */
export function parseSeed(text: string): bigint | undefined {
  if (!SEED.test(text.trim())) return undefined;
  const seed = BigInt(text.trim());
  return seed >= -(1n << 63n) && seed < 1n << 64n ? seed : undefined;
}
