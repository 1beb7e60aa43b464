/** One script a language. */
import type { Language } from '../state/url';
import type * as ko from './ko';
import type { Messages } from './types';

export type Texts = Messages<typeof ko>;

export const LOAD: Record<Language, () => Promise<Texts>> = {
  ko: () => import('./ko'),
  zh: () => import('./zh'),
  en: () => import('./en'),
};
