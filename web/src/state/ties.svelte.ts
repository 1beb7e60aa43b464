/** What one store's change means for the others. Called once, by main.ts. */
import { untrack } from 'svelte';
import { keepForOffline } from '../offline/register';
import { decode } from './decode.svelte';
import { lab } from './lab.svelte';
import { results } from './results.svelte';
import { settings } from './settings.svelte';

export function tieStores(): void {
  $effect.root(() => {
    $effect(() => {
      // Another model, prompt or step in the address: the scene follows.
      void [lab.ready, lab.epoch, settings.prompt, settings.text, settings.step];
      untrack(() => void decode.follow());
    });
    $effect(() => {
      // Another model: nothing that the one before gave is shown as its own.
      if (lab.epoch > 0) untrack(() => results.forget());
    });
    $effect(() => {
      // The files are in the browser's own cache by now.
      if (lab.ready) keepForOffline();
    });
  });
}
