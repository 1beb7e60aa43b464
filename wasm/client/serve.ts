/**
 * The worker's side: takes messages, runs one call after another, answers; a short question does not wait for a long
 * call to end, but for its next pause. `worker.ts` is the module worker; a classic worker (one file:// page) calls
 * `serve(self, createMiniMindModule)` itself.
 */
import { Engine, type Run } from './engine.ts';
import { cancelled, MiniMindError, toPlain } from './errors.ts';
import { fetchBytes, Later } from './later.ts';
import { Module } from './module.ts';
import type { FromWorker, ToWorker } from './protocol.ts';
import type { CreateMiniMindModule } from '../minimind';

/** What is needed of a worker's global scope. */
export interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
}

interface Job {
  id: number;
  method: string;
  args: unknown[];
  abort: AbortController;
}

/** These change nothing and take milliseconds: they are answered in a pause of what runs. */
const QUESTIONS = ['tokens', 'distribution', 'kvBytes', 'readers'];
/** After these a question may have another answer: it does not overtake them. */
const CHANGES = ['load', 'loadDocuments', 'unload', 'startDecode', 'rewind'];

export function serve(scope: Scope, createModule: CreateMiniMindModule): void {
  let engine: Engine | null = null;
  const waiting: Job[] = [];
  let running: Job | null = null;

  const post = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
  const fail = (id: number, error: unknown) => post({ type: 'error', id, error: toPlain(error) });

  async function start(wasm: string | ArrayBuffer, later: string | ArrayBuffer): Promise<void> {
    try {
      const bytes = typeof wasm === 'string' ? await fetchBytes(wasm) : wasm;
      engine = new Engine(await Module.create(createModule, bytes, new Later(later)));
      post({ type: 'started' });
      void work();
    } catch (error) {
      post({ type: 'failed', error: toPlain(error) });
    }
  }

  async function work(): Promise<void> {
    while (engine && !running) {
      const job = waiting.shift();
      if (!job) return;
      running = job;
      await answer(engine, job);
      running = null;
    }
  }

  async function answer(current: Engine, job: Job): Promise<void> {
    try {
      const value = await perform(current, job);
      post({ type: 'value', id: job.id, value }, buffersOf(value));
    } catch (error) {
      fail(job.id, error);
    }
  }

  function perform(current: Engine, { id, method, args, abort }: Job): unknown {
    if (!(Engine.methods as readonly string[]).includes(method)) {
      throw new MiniMindError('internal', `there is no method ${method}`);
    }
    const run: Run = {
      signal: abort.signal,
      onProgress: (progress) => post({ type: 'progress', id, progress }),
      onStep: (record) => post({ type: 'step', id, record }),
    };
    const methods = current as unknown as Record<string, (...all: unknown[]) => unknown>;
    return methods[method]?.(...args, run);
  }

  scope.onmessage = ({ data }) => {
    if (data.type === 'start') void start(data.wasm, data.later);
    if (data.type === 'call') {
      const job = { ...data, abort: new AbortController() };
      // A message can only arrive while what runs has paused.
      if (engine && running && QUESTIONS.includes(data.method) && ![running, ...waiting].some(({ method }) => CHANGES.includes(method))) {
        void answer(engine, job);
        return;
      }
      waiting.push(job);
      void work();
    }
    if (data.type === 'cancel') {
      if (running?.id === data.id) running.abort.abort();
      const at = waiting.findIndex((job) => job.id === data.id);
      if (at >= 0) {
        waiting.splice(at, 1);
        fail(data.id, cancelled());
      }
    }
  };
}

/** Arrays of a distribution move to the page instead of being copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part: unknown) =>
    part instanceof Float32Array || part instanceof Int32Array ? [part.buffer as ArrayBuffer] : [],
  );
}
