/**
 * The worker's side: takes messages, runs calls, answers. Which call waits for which is said by calls.ts.
 */
import type { CallName, Source } from './api.ts';
import { CALLS, isCallName, type Part } from './calls.ts';
import { Engine, type Run } from './engine.ts';
import { cancelled, MiniMindError, toPlain } from './errors.ts';
import { Module } from './module.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import { askFor } from './sources.ts';
import type { CreateMiniMindModule } from '../minimind';

/** What is needed of a worker's global scope. */
export interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
}

interface Job {
  id: number;
  name: CallName;
  args: unknown[];
  abort: AbortController;
  running: boolean;
}

export function serve(scope: Scope, createModule: CreateMiniMindModule): void {
  let engine: Engine | null = null;
  /** In the order they came; those that run have their turn in each other's pauses. */
  const jobs: Job[] = [];

  const post = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
  const fail = (id: number, error: unknown) => post({ type: 'error', id, error: toPlain(error) });

  async function start(wasm: string | ArrayBuffer): Promise<void> {
    try {
      const bytes = typeof wasm === 'string' ? await fetchModule(wasm) : wasm;
      engine = new Engine(await Module.create(createModule, bytes));
      post({ type: 'started' });
      work();
    } catch (error) {
      post({ type: 'failed', error: toPlain(error) });
    }
  }

  /** Starts what waits for nothing that an earlier call holds. */
  function work(): void {
    if (!engine) return;
    const held = new Set<Part>();
    for (const job of [...jobs]) {
      const { waits, holds } = CALLS[job.name];
      if (!job.running && !waits.some((part) => held.has(part))) {
        job.running = true;
        void answer(engine, job);
      }
      for (const part of holds) held.add(part);
    }
  }

  async function answer(current: Engine, job: Job): Promise<void> {
    try {
      const value = await perform(current, job);
      // What was asked of the model before must not be answered by this one.
      if (job.name === 'open') for (const earlier of jobs.slice(0, jobs.indexOf(job))) cancel(earlier);
      post({ type: 'value', id: job.id, value }, buffersOf(value));
    } catch (error) {
      fail(job.id, error);
    }
    jobs.splice(jobs.indexOf(job), 1);
    work();
  }

  function perform(current: Engine, { id, name, args, abort }: Job): unknown {
    const run: Run = {
      signal: abort.signal,
      onProgress: (progress) => post({ type: 'progress', id, progress }),
      onStep: (record) => post({ type: 'step', id, record }),
    };
    const handlers = current as unknown as Record<CallName, (...all: unknown[]) => unknown>;
    // The engine's methods find what was left out as undefined.
    return handlers[name](...Array.from({ length: CALLS[name].takes }, (_, index) => args[index]), run);
  }

  function cancel(job: Job): void {
    if (job.running) job.abort.abort();
    else {
      jobs.splice(jobs.indexOf(job), 1);
      fail(job.id, cancelled());
    }
  }

  function take(id: number, name: string, args: unknown[]): void {
    if (!isCallName(name)) return fail(id, new MiniMindError('internal', `there is no call ${name}`));
    const job = { id, name, args, abort: new AbortController(), running: false };
    jobs.push(job);
    if (!engine) for (const source of sourcesOf(args)) askFor(source, job.abort.signal);
    work();
  }

  scope.onmessage = ({ data }) => {
    if (data.type === 'start') void start(data.wasm);
    if (data.type === 'call') take(data.id, data.name, data.args);
    if (data.type === 'cancel') {
      const job = jobs.find(({ id }) => id === data.id);
      if (job) cancel(job);
    }
  };
}

/** @throws MiniMindError "download" */
async function fetchModule(url: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw `the server answered ${response.status}`;
    return await response.arrayBuffer();
  } catch (reason) {
    const words = reason instanceof Error ? reason.message : String(reason);
    throw new MiniMindError('download', `the WebAssembly module did not arrive: ${words}`, 'Reload the page.');
  }
}

/** What a call that opens something will read. */
function sourcesOf([request]: readonly unknown[]): Source[] {
  const isSource = (value: unknown): value is Source => typeof value === 'object' && value !== null && 'url' in value;
  return [request, ...Object.values(request ?? {})].filter(isSource);
}

/** Arrays of a distribution move to the page instead of being copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part: unknown) =>
    part instanceof Float32Array || part instanceof Int32Array ? [part.buffer as ArrayBuffer] : [],
  );
}
