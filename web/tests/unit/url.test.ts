import { describe, expect, it } from 'vitest';
import { DEFAULTS, preferredLanguage, readScene, writeScene, type Scene } from '../../src/state/url';

describe('a scene', () => {
  const scenes: Partial<Scene>[] = [
    {},
    { language: 'zh', theme: 'dark', section: 'topp', prompt: 'lab', step: 64, temperature: 1.5, topP: 0.99, seed: -5n },
    { prompt: 'own', text: '민수는 & 100%? #1\n"둘째"', step: 3 },
    { seed: (1n << 64n) - 1n, temperature: 0, topP: 1 },
    { section: 'why', layer: 3, head: 2, experiment: 'window-8-pinned-4' },
  ];
  it.each(scenes)('comes back whole from the address: %o', (change) => {
    const scene = { ...DEFAULTS, ...change };
    expect({ ...DEFAULTS, ...readScene(writeScene(scene)) }).toEqual(scene);
  });
  it('leaves out a text that makes the address long, and what belongs to it', () => {
    const scene = { ...DEFAULTS, prompt: 'own' as const, text: '가'.repeat(201), step: 7 };
    expect(writeScene(scene)).toBe(writeScene(DEFAULTS));
    expect(readScene(writeScene({ ...scene, text: '가'.repeat(200) }))).toMatchObject({ prompt: 'own', step: 7 });
  });
  it('leaves out what is the default, but not the language', () => {
    expect(writeScene(DEFAULTS)).toBe('#predict?lang=ko');
  });
});

describe('a bad address', () => {
  it.each([
    '', '#', '#?', '#nowhere?lang=xx', '#decode?step=-1', '#decode?step=65', '#decode?step=1e9', '#decode?t=3', '#decode?p=0',
    '#decode?seed=99999999999999999999', '#decode?seed=0x10', '#decode?t=NaN', '#%E0%A4%A?lang=%E0%A4%A', '#decode?step=', '#why?layer=0&head=-1&try=<b>',
  ])('%s gives only what makes sense', (fragment) => {
    const found = readScene(fragment);
    for (const key of ['layer', 'head', 'experiment', 'step', 'temperature', 'topP', 'seed', 'language'] as const) expect(found[key]).toBeUndefined();
  });
  it('cuts a text that is far too long', () => {
    expect(readScene(`#decode?prompt=own&text=${'가'.repeat(5000)}`).text).toHaveLength(2000);
  });
});

it('the first spoken language of the browser is taken, else Korean', () => {
  expect(preferredLanguage(['fr-FR', 'zh-TW', 'en'])).toBe('zh');
  expect(preferredLanguage(['EN-us'])).toBe('en');
  expect(preferredLanguage(['fr'])).toBe('ko');
  expect(preferredLanguage([])).toBe('ko');
});
