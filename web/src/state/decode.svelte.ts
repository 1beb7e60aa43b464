/**
 * The decode scene: what was recorded, and which step is looked at (`settings.step`). Going back reads records; only
 * a step that nobody has seen yet asks the module. Cache, Temperature and Top-p follow the same step.
 */
import type { DecodeStart, MiniMind, Prompt, StepRecord } from '$client/api';
import { failureOf, wasCancelled, type Failure } from './failure';
import { lab } from './lab.svelte';
import { settings } from './settings.svelte';
import { STEPS } from './url';

/** The short scene's text: small enough to see every cell, in the demo's own language. */
export const SHORT_TEXT = '민수는 강아지 보리와';

class Decode {
  start: DecodeStart | null = $state.raw(null);
  records: readonly StepRecord[] = $state.raw([]);
  playing = $state(false);
  /** The module is at work on a step. */
  busy = $state(false);
  failure: Failure | null = $state.raw(null);
  /** Steps a second while playing. */
  speed = $state(2);

  #run = new AbortController();
  #work = Promise.resolve();
  #stopped = false;
  /** What the scene in the module was started with; "" when there is none. */
  #scene = '';

  /** How many steps have been computed. */
  get reached(): number {
    return this.records.length;
  }
  /** The step looked at: the one asked for, or as far as the module has come on the way there. */
  get step(): number {
    return Math.min(settings.step, this.reached);
  }
  /** The record looked at; null at step 0. */
  get shown(): StepRecord | null {
    return this.records[this.step - 1] ?? null;
  }
  get total(): number {
    return this.start?.newTokens ?? STEPS;
  }
  get atEnd(): boolean {
    return this.step >= this.total;
  }

  get prompt(): Prompt {
    if (settings.prompt === 'lab') return { kind: 'lab' };
    return { kind: 'text', text: settings.prompt === 'own' && settings.text.trim() ? settings.text : SHORT_TEXT };
  }

  /** Begins the scene of the settings anew if it is another one than before, and computes up to the step looked at. */
  async follow(): Promise<void> {
    const { client } = lab;
    if (!client || !lab.ready) return;
    const scene = JSON.stringify([lab.epoch, this.prompt]);
    if (scene !== this.#scene) {
      this.#scene = scene;
      this.stop();
      this.start = null;
      this.records = [];
      this.failure = null;
      try {
        const start = await client.startDecode(this.prompt, STEPS);
        if (scene !== this.#scene) return;
        this.start = start;
      } catch (thrown) {
        if (scene === this.#scene) this.failure = failureOf(thrown);
        return;
      }
    }
    await this.#compute();
  }

  /** Another prompt: the scene begins at its start. */
  choose(prompt: typeof settings.prompt, text = settings.text): void {
    this.stop();
    settings.prompt = prompt;
    settings.text = text;
    settings.step = 0;
  }

  /** Looks at a step; computes what is missing. */
  async seek(step: number): Promise<void> {
    this.playing = false;
    settings.step = Math.max(0, Math.min(this.total, step));
    if (settings.step <= this.reached) this.#run.abort();
    await this.follow();
  }

  /** One step on from the one asked for: a press that comes while another step is computed counts as well. */
  async next(): Promise<void> {
    if (this.atEnd || !this.start) return;
    settings.step = Math.min(this.total, (this.#stopped ? this.step : settings.step) + 1);
    await this.#compute();
  }

  async play(): Promise<void> {
    if (this.playing || !this.start) return;
    if (this.atEnd) settings.step = 0;
    this.playing = true;
    while (this.playing && !this.atEnd) {
      const began = performance.now();
      const before = this.step;
      await this.next();
      if (this.step === before) break;
      const rest = 1000 / this.speed - (performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
    }
    this.playing = false;
  }

  /** Stops playing and computing; what was recorded stays. */
  stop(): void {
    this.playing = false;
    this.#stopped = true;
    this.#run.abort();
  }

  async retry(): Promise<void> {
    const lost = this.failure?.kind === 'worker' || this.failure?.kind === 'memory';
    this.#scene = '';
    this.failure = null;
    // Nothing to step in until the new worker has begun the scene.
    this.start = null;
    if (lost) await lab.start();
    else await this.follow();
  }

  /** Computes up to the step looked at. Whoever is at it already sees that this has changed. */
  #compute(): Promise<void> {
    this.#stopped = false;
    if (!this.busy) this.#work = this.#computeWanted();
    return this.#work;
  }

  /** The step looked at may change on the way: a slider is dragged, or the reader goes back. */
  async #computeWanted(): Promise<void> {
    const { client } = lab;
    if (!client || !this.start) return;
    const scene = this.#scene;
    const wanted = () => scene === this.#scene && !this.#stopped && Math.min(settings.step, this.total) > this.reached;
    this.busy = true;
    try {
      while (wanted()) await this.#walk(client, Math.min(settings.step, this.total));
    } catch (thrown) {
      if (scene === this.#scene) this.failure = failureOf(thrown);
    } finally {
      this.busy = false;
      if (scene === this.#scene) settings.step = Math.min(settings.step, this.reached);
    }
    // Another scene began meanwhile and found this one at work.
    if (scene !== this.#scene) await this.#computeWanted();
  }

  /** Steps on to `target`, or as far as is still wanted. */
  async #walk(client: MiniMind, target: number): Promise<void> {
    const scene = this.#scene;
    const run = (this.#run = new AbortController());
    const take = (record: StepRecord) => {
      if (scene !== this.#scene) return;
      this.records = [...this.records, record];
      if (record.step >= settings.step && record.step < target) run.abort();
    };
    try {
      await client.stepTo(target, { signal: run.signal, onStep: take });
    } catch (thrown) {
      if (!wasCancelled(thrown)) throw thrown;
    }
  }
}

export const decode = new Decode();
