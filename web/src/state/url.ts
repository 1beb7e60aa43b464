/**
 * What a shared link holds, as the part of the address after '#': `#decode?lang=ko&prompt=lab&step=17`.
 * The fragment works on any host and from file://. Pure: `settings.svelte.ts` keeps it in step with the page.
 */
export const LANGUAGES = ['ko', 'zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const SECTIONS = ['predict', 'decode', 'cache', 'why', 'temperature', 'topp', 'timing', 'finish'] as const;
export type SectionId = (typeof SECTIONS)[number];
export const PROMPTS = ['short', 'lab', 'own'] as const;
export type PromptChoice = (typeof PROMPTS)[number];

export interface Scene {
  language: Language;
  theme: Theme;
  section: SectionId;
  prompt: PromptChoice;
  /** The reader's own text, when prompt is "own". */
  text: string;
  /** 0 = only the prompt … 64. */
  step: number;
  /** 0 … 2; 0 = greedy. */
  temperature: number;
  /** 0 < p ≤ 1. */
  topP: number;
  /** 64 bits whole. */
  seed: bigint;
  /** Of the figures of Why, from 1; a model with fewer shows its last. Layer 1 is the one that the mask does not change. */
  layer: number;
  head: number;
  /** The experiment whose two texts are shown; empty for none. */
  experiment: string;
}

/** New tokens of the decode scene, as in the lab. */
export const STEPS = 64;
export const MAX_TEXT = 2000;
/** A longer text of the reader's is not put into the address: nobody could paste that anywhere. */
export const LINK_TEXT = 200;
export const fitsAddress = ({ prompt, text }: Pick<Scene, 'prompt' | 'text'>): boolean => prompt !== 'own' || text.length <= LINK_TEXT;

export const DEFAULTS: Scene = {
  language: 'ko',
  theme: 'auto',
  section: 'predict',
  prompt: 'short',
  text: '',
  step: 0,
  temperature: 0.5,
  topP: 0.9,
  seed: 0n,
  layer: 2,
  head: 1,
  experiment: '',
};

const one = <T extends string>(list: readonly T[], value: string | null): T | undefined => list.find((item) => item === value);

function number(value: string | null, low: number, high: number): number | undefined {
  if (value === null || !/^\d+(\.\d+)?$/.test(value)) return undefined;
  const parsed = Number(value);
  return parsed >= low && parsed <= high ? parsed : undefined;
}

function count(value: string | null): number | undefined {
  const found = number(value, 1, 1000);
  return found === undefined ? undefined : Math.floor(found);
}

function seed(value: string | null): bigint | undefined {
  if (value === null || !/^-?\d{1,20}$/.test(value)) return undefined;
  const parsed = BigInt(value);
  return parsed >= -(1n << 63n) && parsed < 1n << 64n ? parsed : undefined;
}

/** Reads a fragment. What is missing or makes no sense is left out; nothing throws. */
export function readScene(fragment: string): Partial<Scene> {
  const [name = '', query = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s);
  const get = new URLSearchParams(query);
  const step = number(get.get('step'), 0, STEPS);
  const found: Partial<Record<keyof Scene, unknown>> = {
    section: one(SECTIONS, name),
    language: one(LANGUAGES, get.get('lang')),
    theme: one(THEMES, get.get('theme')),
    prompt: one(PROMPTS, get.get('prompt')),
    text: get.get('text')?.slice(0, MAX_TEXT),
    step: step === undefined ? undefined : Math.floor(step),
    temperature: number(get.get('t'), 0, 2),
    topP: number(get.get('p'), 0.01, 1),
    seed: seed(get.get('seed')),
    layer: count(get.get('layer')),
    head: count(get.get('head')),
    experiment: /^[a-z0-9-]{1,40}$/.exec(get.get('try') ?? '')?.[0],
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Partial<Scene>;
}

/** Writes a fragment; values that are the defaults are left out, the language never is. */
export function writeScene(scene: Scene): string {
  const put = new URLSearchParams({ lang: scene.language });
  if (scene.theme !== DEFAULTS.theme) put.set('theme', scene.theme);
  if (fitsAddress(scene)) {
    if (scene.prompt !== DEFAULTS.prompt) put.set('prompt', scene.prompt);
    if (scene.prompt === 'own') put.set('text', scene.text);
    if (scene.step !== DEFAULTS.step) put.set('step', String(scene.step));
  }
  if (scene.temperature !== DEFAULTS.temperature) put.set('t', String(scene.temperature));
  if (scene.topP !== DEFAULTS.topP) put.set('p', String(scene.topP));
  if (scene.seed !== DEFAULTS.seed) put.set('seed', String(scene.seed));
  if (scene.layer !== DEFAULTS.layer) put.set('layer', String(scene.layer));
  if (scene.head !== DEFAULTS.head) put.set('head', String(scene.head));
  if (scene.experiment !== DEFAULTS.experiment) put.set('try', scene.experiment);
  return `#${scene.section}?${put}`;
}

/** The first of the reader's languages that the page speaks; Korean when there is none. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = one(LANGUAGES, tag.toLowerCase().split('-')[0] ?? null);
    if (found) return found;
  }
  return DEFAULTS.language;
}
