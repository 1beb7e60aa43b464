import { describe, expect, it } from 'vitest';
import { fill, joint, parts, placeholders } from '../../src/i18n/fill';

describe('parts', () => {
  it('fills placeholders, with a tone where one is given', () => {
    expect(parts('{a}개와 {b}', { a: 3, b: { text: '4', tone: 'with' } })).toEqual([
      { text: '3', strong: false, code: false, tone: 'plain' },
      { text: '개와 ', strong: false, code: false, tone: 'plain' },
      { text: '4', strong: false, code: false, tone: 'with' },
    ]);
  });
  it('knows strong and code', () => {
    expect(parts('x **y {n}** `z`', { n: 1 }).map(({ text, strong, code }) => [text, strong, code])).toEqual([
      ['x ', false, false], ['y ', true, false], ['1', true, false], [' ', false, false], ['z', false, true],
    ]);
  });
  it('never reads a value as marks or placeholders', () => {
    expect(fill('{a}', { a: '**{a}**<b>`' })).toBe('**{a}**<b>`');
  });
  it('shows a placeholder that got no value', () => {
    expect(fill('{n} steps')).toBe('{n} steps');
    expect(fill('{toString}')).toBe('{toString}');
  });
});

it('a particle stays on the line of what it belongs to', () => {
  const joints = (text: string) => parts(text, { p: '28.7%' }).map((part, index, all) => joint(all[index - 1], part));
  expect(joints('**{p}**로 늘고')).toEqual(['', '\u2060']);
  expect(joints('[[K|k]]와 [[V|v]]를')).toEqual(['', '\u2060', '', '\u2060']);
  expect(joints('**{p}** 더')).toEqual(['', '']);
});

it('placeholders are listed sorted, repeats kept', () => {
  expect(placeholders('{n} of {m}, {n}')).toEqual(['m', 'n', 'n']);
});
