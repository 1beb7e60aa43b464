/**
 * A token's text in pieces that can all be seen: a leading space is a sign, bytes that make no character are a chip
 * with their values. Pure; the text itself comes from the module.
 */
export interface TokenPiece {
  kind: 'text' | 'space' | 'newline' | 'tab' | 'control' | 'broken';
  text: string;
  /** Of a broken piece, when they are known. */
  bytes?: Uint8Array;
}

const SPLIT = /\uFFFD+| +|\n|\t|[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

export function tokenPieces(text: string, bytes?: Uint8Array): TokenPiece[] {
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
  return bytes ? withBytes(out, bytes) : out;
}

/** The bytes of the one broken piece are those that the pieces around it leave. */
function withBytes(pieces: TokenPiece[], bytes: Uint8Array): TokenPiece[] {
  const at = pieces.findIndex(({ kind }) => kind === 'broken');
  if (at < 0 || pieces.findLastIndex(({ kind }) => kind === 'broken') !== at) return pieces;
  const length = (part: TokenPiece[]) => new TextEncoder().encode(part.map(({ text }) => text).join('')).length;
  const own = bytes.slice(length(pieces.slice(0, at)), bytes.length - length(pieces.slice(at + 1)));
  return pieces.map((piece, index) => (index === at ? { ...piece, bytes: own } : piece));
}

/** `<|im_start|>` → `im_start`. */
export const specialName = (text: string): string => text.replace(/^<\|?|\|?>$/g, '');
/** EB 9E 98 */
export const hex = (bytes: Iterable<number>): string => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
