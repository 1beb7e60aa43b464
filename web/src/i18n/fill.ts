/**
 * Texts with placeholders. `{name}` is filled in, `**…**` is strong, `` `…` `` is code, `[[word|term]]` a word that
 * terms.ts explains. Nothing is ever read as HTML: the parts become text nodes.
 */
export type Tone = 'with' | 'without' | 'plain';
export type Value = string | number | { text: string; tone: Tone };
export type Values = Readonly<Record<string, Value>>;

export interface Part {
  text: string;
  strong: boolean;
  code: boolean;
  tone: Tone;
  /** Its key in terms.ts, for a word that is explained. */
  term?: string;
}

const TOKEN = /\*\*|`|\{([a-zA-Z]+)\}|\[\[([^|\]]+)\|([a-zA-Z]+)\]\]/g;

/** The parts of a text in order. A placeholder without a value stays visible as it is written. */
export function parts(text: string, values: Values = {}): Part[] {
  const out: Part[] = [];
  let strong = false;
  let code = false;
  let from = 0;
  const push = (text: string, tone: Tone = 'plain') => {
    if (text) out.push({ text, strong, code, tone });
  };
  for (const match of text.matchAll(TOKEN)) {
    push(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[0] === '**') strong = !strong;
    else if (match[0] === '`') code = !code;
    else if (match[2] !== undefined && match[3] !== undefined) out.push({ text: match[2], strong, code, tone: 'plain', term: match[3] });
    else {
      const name = match[1] ?? '';
      const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? match[0];
      if (typeof value === 'object') push(value.text, value.tone);
      else push(String(value));
    }
  }
  push(text.slice(from));
  return out;
}

/**
 * What stands between two parts: a Korean particle stays on the line of what it belongs to. Browsers keep it beside a
 * letter, but would break after "28.7%" and after a word that is a button.
 */
export const joint = (before: Part | undefined, after: Part): string =>
  before && (before.term || /[%”)]$/.test(before.text)) && /^[가-힣]/.test(after.text) ? '\u2060' : '';

/** The same as one plain string, for labels and titles. */
export function fill(text: string, values: Values = {}): string {
  return parts(text, values)
    .map((part) => part.text)
    .join('');
}

/** The words that are explained in a text, in alphabetical order. */
export function terms(text: string): string[] {
  return parts(text)
    .flatMap(({ term }) => term ?? [])
    .sort();
}

/** Names of the placeholders of a text, in alphabetical order. */
export function placeholders(text: string): string[] {
  return [...text.matchAll(/\{([a-zA-Z]+)\}/g)].map((match) => match[1] ?? '').sort();
}
