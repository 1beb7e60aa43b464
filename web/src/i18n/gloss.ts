/**
 * What the Korean of the demo means, for readers of Chinese and English (<language>/gloss.ts): a sentence that is known
 * whole is translated, of any other the words that are known stand in their order, with … for the rest. So broken Korean
 * stays broken. Pure.
 */
export interface Glossary {
  /** What the demo's prompts, questions and usual answers say. */
  readonly sentences: Readonly<Record<string, string>>;
  /** By how they begin: endings and particles follow in one piece. */
  readonly words: Readonly<Record<string, string>>;
}

function inOrder(sentence: string, { words }: Glossary): string {
  // The longest first, so that 느티나무 is not 나무.
  const known = Object.keys(words).sort((a, b) => b.length - a.length);
  const out: string[] = [];
  for (const word of sentence.split(/\s+/)) {
    const found = known.find((start) => word.startsWith(start));
    const meaning = found ? (words[found] ?? '…') : '…';
    if (meaning !== '…' || out.at(-1) !== '…') out.push(meaning);
  }
  return out.join(' ');
}

/** Null where there is nothing to explain: for readers of Korean, who have no glossary, and where no word is known. */
export function gloss(text: string, glossary: Glossary | undefined): string | null {
  if (!glossary || !/[가-힣]/.test(text)) return null;
  const { sentences } = glossary;
  const whole = text.trim();
  const said = (sentences[whole] ? [whole] : whole.split(/(?<=[.?!])\s+|\n+/))
    .map((sentence) => sentences[sentence.trim()] ?? inOrder(sentence, glossary))
    .join(' ')
    .replace(/(?<=[。？！]) /g, '')
    .replace(/…(?: …)+/g, '…');
  return /^[…\s]*$/.test(said) ? null : said;
}
