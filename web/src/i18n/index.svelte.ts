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

/** Chosen, but its words did not come: those on the screen stay, and the header says so. */
let missing: Language | null = $state(null);
export const missingLanguage = (): Language | null => missing;
export const forgetMissing = (): void => void (missing = null);

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
  missing = null;
  try {
    const texts = await LOAD[language]();
    if (language === settings.language) shown = { language, texts };
  } catch (error) {
    // Offline before its first use, or the server has another release by now.
    if (!shown) throw error;
    if (language !== settings.language) return;
    missing = language;
    settings.language = shown.language;
  }
}
