import { describe, expect, it } from 'vitest';
import en from '../../src/i18n/en/gloss';
import { gloss } from '../../src/i18n/gloss';
import zh from '../../src/i18n/zh/gloss';

describe('a gloss', () => {
  it('translates what is known whole, sentence by sentence', () => {
    expect(gloss('특산물은 곶감이에요. 겨울에 먹으면 더 맛있어요.', en)).toBe('The speciality is dried persimmons. They taste even better in winter.');
    expect(gloss('가람 마을의 특산물은 뭐야?', zh)).toBe('Garam 村的特产是什么？');
  });
  it('leaves broken text broken: the words that are known, in their order', () => {
    expect(gloss('달내\uFFFD 낫을었 먹었다. 징검다 느티나무로', en)).toBe('Dallae … ate … zelkova');
    expect(gloss('\uFFFD 쌓 뒤로', en)).toBeNull();
  });
  it('knows the same in both languages', () => {
    for (const part of ['sentences', 'words'] as const) expect(Object.keys(zh[part])).toEqual(Object.keys(en[part]));
  });
  it('says nothing to readers of Korean, and nothing of other languages', () => {
    expect(gloss('민수는', undefined)).toBeNull();
    expect(gloss('Minsu', en)).toBeNull();
  });
});
