import { describe, expect, it } from 'vitest';
import { specialName, tokenPieces } from '../../src/components/tokens';

const kinds = (text: string) => tokenPieces(text).map(({ kind, text: piece }) => [kind, piece]);

describe('tokenPieces', () => {
  it('makes everything visible', () => {
    expect(kinds(' 그')).toEqual([['space', ' '], ['text', '그']]);
    expect(kinds('a\nb\t')).toEqual([['text', 'a'], ['newline', '\n'], ['text', 'b'], ['tab', '\t']]);
    expect(kinds('\u0001\u200B')).toEqual([['control', '\u0001'], ['control', '\u200B']]);
    expect(kinds('')).toEqual([]);
  });
  it('gives a broken part its own bytes', () => {
    // " " and the first two bytes of 꼬.
    const pieces = tokenPieces(' \uFFFD', Uint8Array.of(0x20, 0xea, 0xbc));
    expect(pieces[1]).toMatchObject({ kind: 'broken', bytes: Uint8Array.of(0xea, 0xbc) });
    const before = tokenPieces('\uFFFD다', Uint8Array.of(0x88, 0xeb, 0x8b, 0xa4));
    expect(before[0]?.bytes).toEqual(Uint8Array.of(0x88));
  });
  it('does not guess where two parts are broken', () => {
    expect(tokenPieces('\uFFFDa\uFFFD', Uint8Array.of(0x88, 0x61, 0x88)).some(({ bytes }) => bytes)).toBe(false);
  });
});

it('special tokens are shown by their bare name', () => {
  expect(specialName('<|im_end|>')).toBe('im_end');
  expect(specialName('<s>')).toBe('s');
});
