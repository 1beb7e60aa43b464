/** The scene a reader sees, as reactive state, kept in step with the address. Numbers of the model are elsewhere. */
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
function remember(scene: Scene): void {
  try {
    localStorage.setItem(KEY, writeScene({ ...DEFAULTS, language: scene.language, theme: scene.theme }));
  } catch {
    // Nothing is lost but the memory.
  }
}

function firstScene(): Scene {
  const { language, theme } = remembered();
  const scene = { ...DEFAULTS, language: language ?? preferredLanguage(navigator.languages) };
  if (theme) scene.theme = theme;
  return { ...scene, ...readScene(location.hash) };
}

export const settings: Scene = $state(firstScene());

/** The address of exactly this scene. */
export function sceneAddress(): string {
  return location.href.split('#')[0] + writeScene(settings);
}

/** Writes the scene into the address and follows the address when the reader changes it. Called once. */
export function followAddress(): void {
  let timer = 0;
  $effect.root(() => {
    $effect(() => {
      const fragment = writeScene(settings);
      remember(settings);
      clearTimeout(timer);
      // Browsers refuse more than some 100 changes in 10 s.
      timer = window.setTimeout(() => history.replaceState(null, '', fragment), 200);
    });
    $effect(() => {
      document.documentElement.dataset.theme = settings.theme;
    });
  });
  addEventListener('hashchange', ({ newURL }) => {
    // The address as the reader made it: a change of the scene that was still to be written may have overwritten it.
    clearTimeout(timer);
    Object.assign(settings, readScene(new URL(newURL).hash));
  });
}
