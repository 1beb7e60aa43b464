import { describe, expect, it } from 'vitest';
import * as ko from '../../src/i18n/ko';
import { experimentText, guessedRight, readGuesses } from '../../src/sections/why/guesses';
import { rowOf, sumsToOne, triangle, windowFor } from '../../src/sections/why/triangle';

describe('the triangle', () => {
  it('fits the width with every token of its window', () => {
    for (const width of [328, 700, 968]) {
      const frame = triangle(width, windowFor(width));
      expect(frame.width).toBeLessThanOrEqual(width);
      expect(frame.height - frame.top).toBe(frame.cell * windowFor(width));
    }
  });
  it('looks at the newest token when the chosen one is not shown any more', () => {
    expect(rowOf(null, 0, 5)).toBe(4);
    expect(rowOf(3, 0, 5)).toBe(3);
    expect(rowOf(3, 4, 5)).toBe(4);
    expect(rowOf(9, 4, 5)).toBe(4);
  });
  it('knows a row that is no softmax', () => {
    expect(sumsToOne([0.25, 0.5], 0.25)).toBe(true);
    expect(sumsToOne([0.25, 0.5], 0)).toBe(false);
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
    'cache-off', 'cache-off-drawn', 'other-seed', 'other-temperature', 'position-0', 'k-before-rotation', 'fed-twice', 'left-over', 'swapped-layer-2',
    'float16', 'int8', 'window-4', 'window-32', 'window-8-pinned-4',
  ];
  for (const name of names) expect(Object.keys(ko.why.experiments), name).toContain(experimentText(name).key);
  expect(experimentText('window-8-pinned-4')).toEqual({ key: 'windowPinned', n: '8', m: '4' });
});
