/** The scene a page begins with: the address first, then what this browser remembers, then the reader's languages. */
import { DEFAULTS, preferredLanguage, readScene, writeScene, type Scene } from './url';

const KEY = 'minimind-lab';

/** Language and theme are remembered; a page without storage (private windows, file://) works as well. */
function remembered(): Partial<Scene> {
  try {
    return readScene(localStorage.getItem(KEY) ?? '');
  } catch {
    return {};
  }
}
export function remember(scene: Scene): void {
  try {
    localStorage.setItem(KEY, writeScene({ ...DEFAULTS, language: scene.language, theme: scene.theme }));
  } catch {
    // Nothing is lost but the memory.
  }
}

/** A text of the reader's that was too long for the address, in a tab that is loaded again. */
function kept(): Partial<Scene> {
  const { text, step } = (history.state ?? {}) as { text?: unknown; step?: unknown };
  return typeof text === 'string' && typeof step === 'number' ? { prompt: 'own', text, step } : {};
}

export function firstScene(): Scene {
  const { language, theme } = remembered();
  const scene = { ...DEFAULTS, language: language ?? preferredLanguage(navigator.languages) };
  if (theme) scene.theme = theme;
  return { ...scene, ...readScene(location.hash), ...kept() };
}
