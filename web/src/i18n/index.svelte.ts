/**
 * The page's words. A section's texts are one file a language: `<language>/<section>.ts`. The Korean file is the
 * original; the others have its shape by type, its placeholders by test. Only the language that is read is loaded.
 */
import { settings } from '../state/settings.svelte';
import type { Language } from '../state/url';
import { LOAD, type Texts } from './load';

export type { Texts };

/** Each language's own name: known without its texts. */
export const LANGUAGE_NAMES: Record<Language, string> = { ko: '한국어', zh: '中文', en: 'English' };

let shown: { language: Language; texts: Texts } | undefined = $state.raw();

/** The texts of the chosen language: `const t = $derived(texts().decode)`. */
export function texts(): Texts {
  if (!shown) throw new Error('texts are read after followLanguage()');
  return shown.texts;
}
/** The language of the words on the screen: the chosen one as soon as it has arrived. */
export const shownLanguage = (): Language => shown?.language ?? settings.language;

/** Loads the chosen language, and every other one that is chosen later. Resolves with the first. */
export async function followLanguage(): Promise<void> {
  await show(settings.language);
  $effect.root(() => {
    $effect(() => void show(settings.language));
    $effect(() => {
      document.documentElement.lang = shownLanguage();
    });
  });
}

async function show(language: Language): Promise<void> {
  if (language === shown?.language) return;
  try {
    const texts = await LOAD[language]();
    if (language === settings.language) shown = { language, texts };
  } catch (error) {
    // The language did not arrive (offline before its first use): the words on the screen stay.
    if (!shown) throw error;
    settings.language = shown.language;
  }
}
