/**
 * The worker's side: takes messages, runs calls, answers. Calls that touch the same thing run one after another; any
 * other does not wait for a long call to end, but for its next pause. `worker.ts` is the module worker; a classic
 * worker (one file:// page) calls `serve(self, createMiniMindModule)` itself.
 */
import type { LoadRequest, Source } from './api.ts';
import { Engine, type Run } from './engine.ts';
import { cancelled, MiniMindError, toPlain } from './errors.ts';
import { fetchBytes, Later } from './later.ts';
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
  method: string;
  args: unknown[];
  abort: AbortController;
  running: boolean;
}

/**
 * What a call touches: the decode scene, the module's one long task, the models, and where a scene begins, which a
 * question about one of its steps must not overtake. Questions only look: they are done at once and hold nobody up.
 */
type Part = 'models' | 'sft' | 'scene' | 'beginning' | 'task';
const QUESTION: readonly Part[] = ['models'];
const SCENE: readonly Part[] = ['scene'];
const TASK: readonly Part[] = ['task'];
const TOUCHES = new Map<string, readonly Part[]>([
  ['tokens', QUESTION], ['kvBytes', QUESTION], ['readers', QUESTION], ['distribution', [...QUESTION, 'beginning']],
  ['startDecode', [...SCENE, 'beginning']], ['rewind', [...SCENE, 'beginning']], ['step', SCENE], ['stepTo', SCENE],
  ['answers', TASK], ['time', TASK], ['lab', TASK], ['grade', TASK],
]);
/** Loading and the rest: alone. */
const ALL: readonly Part[] = ['models', 'sft', 'scene', 'beginning', 'task'];

function touchedBy({ method, args }: Job): readonly Part[] {
  // The SFT model only answers: the scene and questions go on while it comes.
  const role = method === 'tokens' ? args[1] : method === 'load' ? (args[0] as LoadRequest | undefined)?.role : args[0];
  if (role === 'sft') return method === 'tokens' ? ['sft'] : ['sft', 'task'];
  return TOUCHES.get(method) ?? ALL;
}

export function serve(scope: Scope, createModule: CreateMiniMindModule): void {
  let engine: Engine | null = null;
  /** In the order they came; those that run have their turn in each other's pauses. */
  const jobs: Job[] = [];

  const post = (message: FromWorker, transfer: Transferable[] = []) => scope.postMessage(message, transfer);
  const fail = (id: number, error: unknown) => post({ type: 'error', id, error: toPlain(error) });

  async function start(wasm: string | ArrayBuffer, later: string | ArrayBuffer): Promise<void> {
    try {
      const bytes = typeof wasm === 'string' ? await fetchBytes(wasm) : wasm;
      engine = new Engine(await Module.create(createModule, bytes, new Later(later)));
      post({ type: 'started' });
      work();
    } catch (error) {
      post({ type: 'failed', error: toPlain(error) });
    }
  }

  /** Starts what touches nothing that an earlier call touches. */
  function work(): void {
    if (!engine) return;
    const taken = new Set<Part>();
    for (const job of [...jobs]) {
      const parts = touchedBy(job);
      if (!job.running && !parts.some((part) => taken.has(part))) {
        job.running = true;
        void answer(engine, job);
      }
      for (const part of parts) taken.add(part);
    }
  }

  async function answer(current: Engine, job: Job): Promise<void> {
    try {
      const value = await perform(current, job);
      post({ type: 'value', id: job.id, value }, buffersOf(value));
    } catch (error) {
      fail(job.id, error);
    }
    jobs.splice(jobs.indexOf(job), 1);
    work();
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
      const job = { ...data, abort: new AbortController(), running: false };
      jobs.push(job);
      if (!engine) for (const source of sourcesOf(data.args)) askFor(source, job.abort.signal);
      work();
    }
    if (data.type === 'cancel') {
      const job = jobs.find(({ id }) => id === data.id);
      if (job?.running) job.abort.abort();
      else if (job) {
        jobs.splice(jobs.indexOf(job), 1);
        fail(data.id, cancelled());
      }
    }
  };
}

/** What a load, or loadDocuments, will read. */
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
