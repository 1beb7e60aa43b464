/** The scene a reader sees, as reactive state, kept in step with the address. Numbers of the model are elsewhere. */
import { firstScene, remember } from './first';
import { readScene, writeScene, type Scene } from './url';

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
