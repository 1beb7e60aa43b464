/** One script a language. */
import type { Language } from '../state/url';
import type { Glossary } from './gloss';
import type * as ko from './ko';
import type { Messages } from './types';

/** Readers of Korean need no glossary. */
export type Texts = Messages<typeof ko> & { readonly gloss?: Glossary };

export const LOAD: Record<Language, () => Promise<Texts>> = {
  ko: () => import('./ko'),
  zh: () => import('./zh'),
  en: () => import('./en'),
};
