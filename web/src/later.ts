/** Temperature, Top-p, Timing and Finish: loaded after the first screens, so that those come sooner. */
import Finish from './sections/Finish.svelte';
import Temperature from './sections/Temperature.svelte';
import Timing from './sections/Timing.svelte';
import TopP from './sections/TopP.svelte';

export const sections = [Temperature, TopP, Timing, Finish];
