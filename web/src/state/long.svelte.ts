/**
 * A section's long call: one at a time, with its progress and a way to stop it. It is stopped when another model comes
 * or its section goes. Make it while a component is set up.
 */
import type { MiniMind, Progress } from '$client/api';
import { failureOf, wasCancelled, type Failure } from './failure';
import { lab } from './lab.svelte';

export interface Run {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/** Those under way, in the order they began: the module does one after another. */
let under: readonly LongCall[] = $state.raw([]);

/** Some long call is at work. */
export const working = (): boolean => under.length > 0;

export class LongCall {
  /** What the module is at, and how far: 0 … 1. */
  step = $state('');
  fraction = $state(0);
  failure: Failure | null = $state.raw(null);

  #controller = new AbortController();

  constructor() {
    $effect(() => {
      void lab.epoch;
      return this.stop;
    });
  }

  get running(): boolean {
    return under.includes(this);
  }
  /** Another one is still at work, and what this one could do beside it, loading its model, is done. */
  get waiting(): boolean {
    return (this.step === '' || (this.step === 'load' && this.fraction >= 1)) && this.running && under[0] !== this;
  }

  readonly stop = (): void => this.#controller.abort();

  /** `keep` is called with what came, unless it was stopped meanwhile. */
  async start<Found>(work: (client: MiniMind, run: Run) => Promise<Found>, keep: (found: Found) => void): Promise<void> {
    const { client } = lab;
    if (!client || this.running) return;
    const { signal } = (this.#controller = new AbortController());
    under = [...under, this];
    this.failure = null;
    this.step = '';
    this.fraction = 0;
    try {
      const found = await work(client, {
        signal,
        onProgress: ({ step, fraction }) => {
          this.step = step;
          this.fraction = fraction;
        },
      });
      if (!signal.aborted) keep(found);
    } catch (thrown) {
      if (!signal.aborted && !wasCancelled(thrown)) this.failure = failureOf(thrown);
    } finally {
      under = under.filter((call) => call !== this);
    }
  }
}
