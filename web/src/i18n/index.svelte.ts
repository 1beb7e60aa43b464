/**
 * The page's words. A section's texts are one file a language: `<language>/<section>.ts`. The Korean file is the
 * original; the others have its shape by type, its placeholders by test.
 */
import { settings } from '../state/settings.svelte';
import * as en from './en';
import * as ko from './ko';
import * as zh from './zh';
import type { Messages } from './types';

export type Texts = Messages<typeof ko>;
export const tables: Record<'ko' | 'zh' | 'en', Texts> = { ko, zh, en };

/** The texts of the chosen language: `const t = $derived(texts().decode)`. */
export const texts = (): Texts => tables[settings.language];
