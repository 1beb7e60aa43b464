import { describe, expect, it } from 'vitest';
import * as ko from '../../src/i18n/ko';
import { laneOf, scaleOf, shownRacers } from '../../src/sections/temperature/race';
import { commandOf, experimentText, guessedRight, readGuesses } from '../../src/sections/why/guesses';
import { shortened, tokenLabel } from '../../src/sections/why/label';
import { cellsOf, rowOf, triangle, windowFor } from '../../src/sections/why/triangle';

describe('the triangle', () => {
  it('fits the width with every token of its window', () => {
    for (const width of [328, 700, 968]) {
      const frame = triangle(width, windowFor(width));
      expect(frame.width).toBeLessThanOrEqual(width);
      expect(frame.height - frame.top).toBeGreaterThanOrEqual(frame.cell * windowFor(width));
    }
  });
  it('looks at the newest token when the chosen one is not shown any more', () => {
    expect(rowOf(null, 0, 5)).toBe(4);
    expect(rowOf(3, 0, 5)).toBe(3);
    expect(rowOf(3, 4, 5)).toBe(4);
    expect(rowOf(9, 4, 5)).toBe(4);
  });
  it('counts what is computed with and without the cache', () => {
    expect(cellsOf(1)).toEqual({ all: 1, row: 1 });
    expect(cellsOf(10)).toEqual({ all: 55, row: 10 });
  });
});

describe('guesses', () => {
  it('are read back, and nothing else is', () => {
    expect(readGuesses('{"float16":"same","x":"maybe","y":3}')).toEqual({ float16: 'same' });
    for (const broken of [null, '', '[', '7', 'null']) expect(readGuesses(broken)).toEqual({});
  });
  it('are about the tokens', () => {
    expect(guessedRight('same', null)).toBe(true);
    expect(guessedRight('same', 5)).toBe(false);
    expect(guessedRight('differs', 1)).toBe(true);
  });
});

it('every experiment has its words', () => {
  const names = [
    'cache-off', 'cache-off-drawn', 'other-seed', 'other-temperature', 'position-0', 'k-before-rotation', 'fed-twice', 'left-over', 'swapped-layer-2', 'no-mask',
    'float16', 'int8', 'window-4', 'window-32', 'window-8-pinned-4',
  ];
  for (const name of names) expect(Object.keys(ko.why.experiments), name).toContain(experimentText(name).key);
  expect(experimentText('window-8-pinned-4')).toEqual({ key: 'windowPinned', n: '8', m: '4' });
});

describe('a token in one line', () => {
  const token = (text: string, special = false) => ({ id: 7, text, special, bytes: new TextEncoder().encode(text) });
  it('has a name that can be seen', () => {
    expect(tokenLabel(token('<|im_start|>', true), 0)).toBe('[bos]');
    expect(tokenLabel(token('<|im_end|>', true), 3)).toBe('[im_end]');
    expect(tokenLabel(token(' 보리'), 2)).toBe('보리');
    expect(tokenLabel(token(' '), 2)).toBe('␣');
    expect(tokenLabel(token('\n'), 2)).toBe('⏎');
    expect(tokenLabel({ id: 7, text: '\uFFFD', special: false, bytes: Uint8Array.of(0xeb, 0x9e) }, 2)).toBe('EB 9E');
    expect(tokenLabel(undefined, 2)).toBe('·');
  });
  it('is cut between characters', () => {
    expect(shortened('강아지', 4)).toBe('강아지');
    expect(shortened('징검다리를', 4)).toBe('징검다…');
    expect(shortened('😀😀😀', 2)).toBe('😀…');
  });
});

describe('the race', () => {
  const racer = (id: number, probability: number, noise: number, place: number, rank: number) => ({
    token: { id, text: `t${id}`, special: false, bytes: new Uint8Array() },
    rank,
    place,
    probability,
    noise,
    quotient: probability / noise,
  });
  const winner = racer(1, 0.1, 0.01, 0, 1);
  const likeliest = racer(2, 0.8, 4, 9, 0);
  it('moves every token by its noise alone, whatever its probability', () => {
    const scale = { low: -4, high: 4 };
    const way = (probability: number) => {
      const { start, end } = laneOf(racer(3, probability, 0.01, 0, 0), scale);
      return end - start;
    };
    expect(way(0.5)).toBeCloseTo(2 / 8);
    expect(way(0.01)).toBeCloseTo(way(0.5));
  });
  it('keeps all of it on the line', () => {
    const scale = scaleOf([winner, likeliest]);
    for (const one of [winner, likeliest, racer(4, 0, 1, 3, 3)]) {
      const { start, end } = laneOf(one, scale);
      for (const place of [start, end]) expect(place >= 0 && place <= 1).toBe(true);
    }
  });
  it('always tells of the likeliest', () => {
    expect(shownRacers([winner, racer(5, 0.1, 0.1, 1, 2)], likeliest).map(({ token }) => token.id)).toEqual([1, 2]);
    expect(shownRacers([winner, likeliest], likeliest)).toHaveLength(2);
  });
});

it('the command survives quotes in the text', () => {
  expect(commandOf(['float16', 'window-4'], "it's")).toBe("mm-native why --prompt 'it'\\''s' --experiments float16,window-4");
});
