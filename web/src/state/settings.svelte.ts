/** The scene a reader sees, as reactive state, kept in step with the address. Numbers of the model are elsewhere. */
import { firstScene, remember } from './first';
import { fitsAddress, readScene, writeScene, type Scene, type SectionId } from './url';

export const settings: Scene = $state(firstScene());

/** The address of exactly this scene. */
export function sceneAddress(): string {
  return location.href.split('#')[0] + writeScene(settings);
}

/** Marks the entries of the browser's history that the page wrote: an address that the reader made has none. */
const OWN = { own: true };
/** A text too long for the address stays in this tab's own history. */
const entry = () => (fitsAddress(settings) ? OWN : { ...OWN, text: settings.text, step: settings.step });
let timer = 0;
function writeAddress(): void {
  clearTimeout(timer);
  history.replaceState(entry(), '', writeScene(settings));
}

/** Another section, as by a link: Back returns to the one before. */
export function visit(section: SectionId): void {
  if (section === settings.section) return;
  // Not written once more before: browsers pass over an entry that was replaced and left at once.
  clearTimeout(timer);
  settings.section = section;
  history.pushState(entry(), '', writeScene(settings));
}

/** Writes the scene into the address and follows the address when the reader changes it. Called once. */
export function followAddress(): void {
  $effect.root(() => {
    $effect(() => {
      writeScene(settings); // which names all that the address holds
      remember(settings);
      clearTimeout(timer);
      // Browsers refuse more than some 100 changes in 10 s.
      timer = window.setTimeout(writeAddress, 200);
    });
    $effect(() => {
      document.documentElement.dataset.theme = settings.theme;
    });
  });
  /** Back or forward to an entry that the page wrote. Asked in time: a change still to be written may replace the entry. */
  let ours = false;
  addEventListener('popstate', ({ state }) => (ours = (state as Partial<typeof OWN> | null)?.own === true));
  addEventListener('hashchange', ({ newURL }) => {
    // The address as the reader made it: a change of the scene that was still to be written may have overwritten it.
    clearTimeout(timer);
    const { section, ...rest } = readScene(new URL(newURL).hash);
    // Back and forward lead through sections; what was done in them since then stays.
    Object.assign(settings, section && { section }, ours ? {} : rest);
  });
}
