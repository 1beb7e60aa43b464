/**
 * The decode scene: what was recorded, and which step is looked at (`settings.step`). Going back reads records; only
 * a step that nobody has seen yet asks the module. Cache, Temperature and Top-p follow the same step. What it does when is
 * scene.ts's; this carries it out.
 */
import type { DecodeStart, MiniMind, Prompt, StepRecord } from '$client/api';
import { failureOf, wasCancelled, type Failure } from './failure';
import { lab } from './lab.svelte';
import { ABSENT, isBusy, stepOf, turn, type Command, type Event, type Scene } from './scene';
import { settings } from './settings.svelte';
import { STEPS } from './url';

/** The short scene's text: small enough to see every cell, in the demo's own language. */
export const SHORT_TEXT = '민수는 강아지 보리와';

class Decode {
  /** Steps a second while playing. */
  speed = $state(2);

  #scene: Scene = $state.raw(ABSENT);
  #run = new AbortController();
  #ticked = 0;

  get start(): DecodeStart | null {
    return this.#scene.start;
  }
  get records(): readonly StepRecord[] {
    return this.#scene.records;
  }
  get playing(): boolean {
    return this.#scene.playing;
  }
  /** The module is at work on a step. */
  get busy(): boolean {
    return isBusy(this.#scene);
  }
  get failure(): Failure | null {
    return this.#scene.failure;
  }
  /** How many steps have been computed. */
  get reached(): number {
    return this.records.length;
  }
  /** The step looked at: the one asked for, or as far as the module has come on the way there. */
  get step(): number {
    return stepOf(this.#scene);
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

  /** The scene of the settings and of the model that is open, at the step of the address. */
  follow(): void {
    if (!lab.opened) this.#send({ type: 'leave', step: settings.step });
    else if (lab.ready) this.#send({ type: 'scene', key: JSON.stringify([lab.epoch, this.prompt]), step: settings.step });
  }

  /** Another prompt: the scene begins at its start. */
  choose(prompt: typeof settings.prompt, text = settings.text): void {
    Object.assign(settings, { prompt, text, step: 0 });
    this.follow();
  }

  /** Looks at a step; computes what is missing. */
  seek(step: number): void {
    this.#send({ type: 'pause' });
    settings.step = Math.max(0, Math.min(this.total, step));
    this.follow();
  }

  next(): void {
    this.#send({ type: 'next' });
  }
  play(): void {
    this.#ticked = performance.now();
    this.#send({ type: 'play' });
  }
  /** Stops playing and computing; what was recorded stays. */
  stop(): void {
    this.#send({ type: 'stop' });
  }

  async retry(): Promise<void> {
    const lost = this.failure?.kind === 'worker' || this.failure?.kind === 'memory';
    // Nothing to step in until the new worker has begun the scene.
    this.#send({ type: 'leave', step: settings.step });
    if (lost) await lab.restart();
    else this.follow();
  }

  #send(event: Event): void {
    const [scene, ...commands] = turn(this.#scene, event);
    this.#scene = scene;
    if (settings.step !== scene.wanted) settings.step = scene.wanted;
    for (const command of commands) this.#carryOut(command);
  }

  #carryOut(command: Command): void {
    const { client } = lab;
    if (command === 'abort') this.#run.abort();
    else if (command === 'tick') {
      const rest = 1000 / this.speed - (performance.now() - this.#ticked);
      setTimeout(() => this.#tick(), Math.max(0, rest));
    } else if (client) void (command === 'begin' ? this.#begin(client) : this.#walk(client));
  }

  #tick(): void {
    this.#ticked = performance.now();
    this.#send({ type: 'tick' });
  }

  async #begin(client: MiniMind): Promise<void> {
    const { key } = this.#scene;
    try {
      this.#send({ type: 'begun', key, start: await client.startDecode(this.prompt, STEPS) });
    } catch (thrown) {
      if (!wasCancelled(thrown)) this.#send({ type: 'failed', key, failure: failureOf(thrown) });
    }
  }

  async #walk(client: MiniMind): Promise<void> {
    const { key, target } = this.#scene;
    const { signal } = (this.#run = new AbortController());
    try {
      await client.stepTo(target, { signal, onStep: (record) => this.#send({ type: 'record', key, record }) });
      this.#send({ type: 'walked', key });
    } catch (thrown) {
      if (wasCancelled(thrown)) this.#send({ type: 'walked', key, gone: !signal.aborted });
      else this.#send({ type: 'failed', key, failure: failureOf(thrown) });
    }
  }
}

export const decode = new Decode();
