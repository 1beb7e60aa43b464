import { describe, expect, it } from 'vitest';
import { failureOf, wasCancelled } from '../../src/state/failure';
import { BYTE_GUESSES, fits, nearest, SPEEDUP_GUESSES, noPredictions, readPredictions } from '../../src/state/predictions';

describe('failureOf', () => {
  it("keeps the client's kind, message and hint", () => {
    const thrown = Object.assign(new Error('m.pth: not a checkpoint'), { kind: 'format', hint: 'Choose another.' });
    expect(failureOf(thrown)).toEqual({ kind: 'format', message: 'm.pth: not a checkpoint', hint: 'Choose another.' });
  });
  it('takes anything else as internal', () => {
    for (const thrown of [new Error('x'), 'x', 7, null, undefined, { kind: 'odd' }]) expect(failureOf(thrown).kind).toBe('internal');
  });
  it('knows a stop', () => {
    expect(wasCancelled(Object.assign(new Error(), { kind: 'cancelled' }))).toBe(true);
    expect(wasCancelled(new Error('cancelled'))).toBe(false);
  });
});

describe('predictions', () => {
  it('come back as they were given', () => {
    const given = { same: 'same', bytes: 200_000, speedup: 20, skipped: false } as const;
    expect(readPredictions(JSON.stringify(given))).toEqual(given);
  });
  it('count as none when they are not among the offered ones', () => {
    for (const stored of [null, '', '{', 'null', '7', '[]', '{"same":"maybe","bytes":3,"speedup":"20","skipped":"yes"}']) {
      expect(readPredictions(stored)).toEqual(noPredictions());
    }
  });
  it('are near by ratio, not by difference', () => {
    expect(nearest(BYTE_GUESSES, 204_800)).toBe(200_000);
    // Measured from 12 to 60: 10, 20 and 50 may all be right, 2 is not.
    expect(SPEEDUP_GUESSES.filter((guess) => fits(SPEEDUP_GUESSES, guess, 12, 60))).toEqual([10, 20, 50]);
    expect(SPEEDUP_GUESSES.filter((guess) => fits(SPEEDUP_GUESSES, guess, 48, 52))).toEqual([50]);
    expect(nearest(BYTE_GUESSES, 60_000)).toBe(20_000);
    expect(nearest(BYTE_GUESSES, 70_000)).toBe(200_000);
  });
});
