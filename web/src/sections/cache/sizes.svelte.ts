/** Bytes by the formula, from the module: the chart's points, and one column and the whole in float16. */
import { lab } from '../../state/lab.svelte';

export const LAB_TOKENS = 100;

export interface Point {
  tokens: number;
  bytes: number;
  afterRepeat: number;
}
export interface Wanted {
  bytesPerValue: 2 | 4;
  /** Tokens at the chart's end. */
  last: number;
  /** Tokens in the cache now. */
  tokens: number;
  repeat: number;
}

/** Make it while a component is set up. */
export class Sizes {
  points: Point[] = $state.raw([]);
  /** The point of the lab's step 4. */
  marked: Point | null = $state.raw(null);
  /** In float16, an estimate. */
  half: { column: number; now: number } | null = $state.raw(null);

  constructor(wanted: () => Wanted) {
    $effect(() => {
      const { client, epoch } = lab;
      if (!client || !lab.ready) return;
      const { bytesPerValue: size, last, repeat } = wanted();
      const end = Math.max(last, LAB_TOKENS);
      const counts = [...new Set([0, 1, LAB_TOKENS, ...Array.from({ length: 17 }, (_, index) => Math.round((end * index) / 16))])].sort((a, b) => a - b);
      void client.kvBytes(counts).then(async (rows) => {
        const sized =
          size === 4
            ? rows
            : await Promise.all(
                rows.map(async (row) => {
                  if (row.tokens === 0) return row;
                  const { bytesPerReader } = await client.readers(24, row.tokens, 2);
                  return { ...row, bytes: bytesPerReader, afterRepeat: bytesPerReader * repeat };
                }),
              );
        if (epoch !== lab.epoch || size !== wanted().bytesPerValue) return;
        this.points = sized;
        this.marked = sized.find((row) => row.tokens === LAB_TOKENS) ?? null;
      }, () => undefined);
    });
    $effect(() => {
      const { client } = lab;
      const { tokens: count, bytesPerValue } = wanted();
      this.half = null;
      if (!client || !lab.ready || bytesPerValue === 4 || count === 0) return;
      void Promise.all([client.readers(24, 1, 2), client.readers(24, count, 2)]).then(([one, all]) => {
        if (count === wanted().tokens) this.half = { column: one.bytesPerReader, now: all.bytesPerReader };
      }, () => undefined);
    });
  }
}
