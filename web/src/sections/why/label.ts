/** A token's name where one line of plain text has to do: nothing invisible, nothing empty. Pure. */
import type { Token } from '$client/api';
import { hex, specialName, tokenPieces } from '../../components/tokens';

/** `place` in the whole text: the first is the beginning of it. */
export function tokenLabel(token: Token | undefined, place = -1): string {
  if (!token) return '·';
  if (token.special) return `[${place === 0 ? 'bos' : specialName(token.text)}]`;
  const SIGNS = { space: '', newline: '⏎', tab: '⇥' } as const;
  const text = tokenPieces(token.text, token.bytes).map(({ kind, text, bytes }) => {
    if (kind === 'text') return text;
    if (kind === 'broken') return bytes ? hex(bytes) : text;
    return kind === 'control' ? hex(new TextEncoder().encode(text)) : SIGNS[kind];
  });
  return text.join('') || '␣';
}

/** Its beginning, where there is room for so many letters. */
export function shortened(text: string, letters: number): string {
  const all = [...text];
  return all.length <= letters ? text : `${all.slice(0, letters - 1).join('')}…`;
}
