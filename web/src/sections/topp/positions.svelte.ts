/**
 * The two positions of the section, each with its distribution at the chosen p and the lab's three survivor counts.
 * Every number is the module's answer; asked anew only when p or the model changes.
 */
import type { DistributionView } from '$client/api';
import { failureOf, type Failure } from '../../state/failure';
import { lab } from '../../state/lab.svelte';
import { Latest } from '../../state/latest.svelte';

/** As in topp.json. */
export const LAB_P = [0.5, 0.9, 0.99] as const;
/** Tokens with their text, for the table. */
const ENTRIES = 40;

export class Position {
  readonly text: string;
  readonly view = new Latest<DistributionView>();
  /** By p as written in topp.json. */
  survivors: Readonly<Record<string, number>> = $state.raw({});
  failure: Failure | null = $state.raw(null);
  #epoch = 0;

  constructor(text: string) {
    this.text = text;
  }

  #ask(p: number, entries: number): Promise<DistributionView> {
    const { client } = lab;
    if (!client) return Promise.reject(new Error('no model'));
    return client.distribution({ prompt: { kind: 'text', text: this.text } }, { temperature: 1, topK: 0, topP: p }, entries);
  }

  follow(p: number): void {
    if (this.#epoch !== lab.epoch) {
      this.#epoch = lab.epoch;
      this.view.forget();
      void this.#count();
    }
    this.view.ask(() => this.#ask(p, ENTRIES));
  }

  async #count(): Promise<void> {
    const epoch = this.#epoch;
    this.survivors = {};
    this.failure = null;
    try {
      const counted: Record<string, number> = {};
      for (const p of LAB_P) {
        counted[String(p)] = (await this.#ask(p, 1)).kept;
        if (epoch !== this.#epoch) return;
      }
      this.survivors = counted;
    } catch (thrown) {
      if (epoch === this.#epoch) this.failure = failureOf(thrown);
    }
  }
}
