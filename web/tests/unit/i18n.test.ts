/** The three languages say the same things: same keys, same placeholders, nothing left empty or untranslated. */
import { describe, expect, it } from 'vitest';
import * as enTexts from '../../src/i18n/en';
import * as ko from '../../src/i18n/ko';
import * as zhTexts from '../../src/i18n/zh';
import { placeholders, terms } from '../../src/i18n/fill';

// Readers of Korean need no glossary.
const { gloss: _en, ...en } = enTexts;
const { gloss: _zh, ...zh } = zhTexts;

function flat(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]];
  return Object.entries(node as Record<string, unknown>).flatMap(([key, value]) => flat(value, path ? `${path}.${key}` : key));
}
const original = flat({ ...ko });
const marks = (text: string) => [(text.match(/\*\*/g) ?? []).length % 2, (text.match(/`/g) ?? []).length % 2];

for (const [language, texts] of [['zh', zh], ['en', en]] as const) {
  describe(language, () => {
    const found = new Map(flat({ ...texts }));
    it('has the same keys', () => {
      expect([...found.keys()].sort()).toEqual(original.map(([key]) => key).sort());
    });
    it.each(original)('%s has the same placeholders', (key, text) => {
      expect(placeholders(found.get(key) ?? '')).toEqual(placeholders(text));
      expect(terms(found.get(key) ?? '')).toEqual(terms(text));
    });
    it('has no Korean words', () => {
      // Korean may be quoted: the model knows no other language. A text that is all the model's is the same in each.
      const same = new Set(original.map(([, text]) => text));
      const korean = [...found].filter(
        ([, text]) => !same.has(text) && /[가-힣]/.test(text.replace(/[“"「『‘][^”"」』’]*[”"」』’]|`[^`]*`/g, '')),
      );
      expect(korean).toEqual([]);
    });
  });
}

it('nothing is empty, and every ** and ` is closed', () => {
  for (const texts of [ko, zh, en]) {
    for (const [key, text] of flat({ ...texts })) {
      expect(text.trim(), key).not.toBe('');
      expect(marks(text), key).toEqual([0, 0]);
    }
  }
});

it('every text is used somewhere', () => {
  const files = import.meta.glob<string>(['../../src/**/*.{ts,svelte}', '!../../src/i18n/{ko,zh,en}/*'], { query: '?raw', import: 'default', eager: true });
  const words = new Set(Object.values(files).flatMap((text) => text.match(/\w+/g) ?? []));
  // Groups of the checks are the core's names.
  const unused = original.map(([key]) => key).filter((key) => !/^(finish\.groups|terms|why\.experiments)\./.test(key) && !words.has(key.split('.').at(-1) ?? ''));
  expect(unused).toEqual([]);
});

it('every word that is explained is met, and every one that is marked is explained', () => {
  const met = new Set(original.flatMap(([, text]) => terms(text)));
  expect([...met].sort()).toEqual(Object.keys(ko.terms).sort());
});
