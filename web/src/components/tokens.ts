/**
 * A token's text in pieces that can all be seen: a leading space is a sign, bytes that make no character are a chip
 * with their values. Pure; the text itself comes from the module.
 */
export interface TokenPiece {
  kind: 'text' | 'space' | 'newline' | 'tab' | 'control' | 'broken';
  text: string;
}

const SPLIT = /\uFFFD+| +|\n|\t|[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

export function tokenPieces(text: string): TokenPiece[] {
  const out: TokenPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(SPLIT)) {
    if (match.index > from) out.push({ kind: 'text', text: text.slice(from, match.index) });
    const found = match[0];
    from = match.index + found.length;
    if (found.startsWith('\uFFFD')) out.push({ kind: 'broken', text: found });
    else if (found.startsWith(' ')) out.push({ kind: 'space', text: found });
    else if (found === '\n') out.push({ kind: 'newline', text: found });
    else if (found === '\t') out.push({ kind: 'tab', text: found });
    else out.push({ kind: 'control', text: found });
  }
  if (from < text.length) out.push({ kind: 'text', text: text.slice(from) });
  return out;
}

/** `<|im_start|>` → `im_start`. */
export const specialName = (text: string): string => text.replace(/^<\|?|\|?>$/g, '');
