import { describe, expect, it } from 'vitest';
import { unitBars } from '../../src/charts/units';
import { answersKey, missing, parseSeed, written } from '../../src/sections/temperature/temperatures';

describe('temperatures', () => {
  it('are written as in temp.json', () => {
    expect([0, 0.3, 1, 1.5, 0.85, 2, 0.1 + 0.2].map(written)).toEqual(['0.0', '0.3', '1.0', '1.5', '0.85', '2.0', '0.3']);
  });
  it('of another seed or cut are other answers', () => {
    expect(answersKey({ temperature: 1 })).toBe('1.0');
    expect(answersKey({ temperature: 1, seed: 0n, topP: 1 })).toBe('1.0');
    const kept = [{ temperature: 1 }, { temperature: 1, seed: 7n }, { temperature: 1, topP: 0.9 }, { temperature: 1, seed: 7n, topP: 0.9 }];
    expect(new Set(kept.map(answersKey)).size).toBe(4);
  });
  it('are asked once each, the slider’s last', () => {
    expect(missing(1, 0n, {})).toEqual([0.3, 1, 1.5]);
    expect(missing(0.85, 0n, {})).toEqual([0.3, 1, 1.5, 0.85]);
    expect(missing(0.85, 0n, { '0.3': 1, '1.0': 1, '1.5': 1 })).toEqual([0.85]);
    expect(missing(1.5, 0n, { '0.3': 1, '1.0': 1, '1.5': 1 })).toEqual([]);
    expect(missing(1.5, 5n, { '0.3': 1, '1.0': 1, '1.5': 1 })).toEqual([0.3, 1, 1.5]);
  });
});

describe('a seed', () => {
  it('is 64 bits, as torch takes it', () => {
    expect(parseSeed(' 0 ')).toBe(0n);
    expect(parseSeed('-1')).toBe(-1n);
    expect(parseSeed('18446744073709551615')).toBe(18446744073709551615n);
    expect(parseSeed('-9223372036854775808')).toBe(-9223372036854775808n);
    for (const wrong of ['', ' ', '1.5', '1e3', '0x1', '18446744073709551616', '-9223372036854775809', '9'.repeat(30), 'a']) expect(parseSeed(wrong)).toBeUndefined();
  });
});

describe('thirty units', () => {
  it('join equal answers and part different ones', () => {
    const bars = unitBars([18, 8, 3, 1], 300, 2);
    expect(bars.map((bar) => bar.x)).toEqual([0, 180, 260, 290]);
    expect(bars.map((bar) => bar.width)).toEqual([178, 78, 28, 8]);
  });
  it('stay visible where there is no room', () => {
    for (const bar of unitBars(Array.from({ length: 30 }, () => 1), 40, 2)) expect(bar.width).toBeGreaterThanOrEqual(1);
    expect(unitBars([], 300, 2)).toEqual([]);
  });
});
