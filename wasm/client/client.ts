/**
 * The page's side: starts the worker and turns calls into messages and answers into promises.
 *
 *     const lab = await startMiniMind({
 *       worker: () => new Worker(new URL('../wasm/client/worker.ts', import.meta.url), { type: 'module' }),
 *       wasm: new URL('../build/wasm/dist/minimind.wasm', import.meta.url),
 *       later: new URL('../build/wasm/dist/minimind.later.wasm', import.meta.url),
 *     });
 *     const info = await lab.load({ role: 'pretrain', checkpoint: { url }, tokenizer: { url } }, { onProgress });
 */
import type * as api from './api.ts';
import { cancelled, fromPlain, MiniMindError } from './errors.ts';
import { requireEnvironment } from './module.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

export { MiniMindError } from './errors.ts';
export type * from './api.ts';

type File = string | URL | ArrayBuffer | Uint8Array;

export interface StartOptions {
  /** Makes the worker that runs wasm/client/worker.ts (or serve.ts in a classic worker). */
  worker: () => Worker;
  /** Where minimind.wasm is, or its bytes (a file:// page has them inside). */
  wasm: File;
  /** The same of minimind.later.wasm. */
  later: File;
}

interface Pending {
  resolve: (value: never) => void;
  reject: (error: MiniMindError) => void;
  run: api.RunOptions;
  onStep?: (record: api.StepRecord) => void;
  forget: () => void;
}

/** @throws MiniMindError: environment, worker, download */
export async function startMiniMind(options: StartOptions): Promise<api.MiniMind> {
  const { client, started } = openMiniMind(options);
  await started;
  return client;
}

/**
 * The same for those who do not wait: calls may follow at once, and their files come while the module does. Where it
 * does not start, `started` says why, and so does every call.
 */
export function openMiniMind(options: StartOptions): { client: api.MiniMind; started: Promise<void> } {
  requireEnvironment();
  if (typeof Worker !== 'function') {
    throw new MiniMindError('environment', 'this browser has no workers', 'Use a current browser.');
  }
  const client = new Client(options);
  return { client, started: client.restart() };
}

class Client implements api.MiniMind {
  readonly #options: StartOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #dead: MiniMindError | null = null;
  #next = 1;

  constructor(options: StartOptions) {
    this.#options = options;
  }

  restart(): Promise<void> {
    this.#end(new MiniMindError('worker', 'the worker was restarted', 'Load the model again.'));
    return new Promise((resolve, reject) => {
      const refuse = (error: MiniMindError) => {
        this.#end(error);
        reject(error);
      };
      try {
        this.#worker = this.#options.worker();
      } catch (error) {
        refuse(new MiniMindError('worker', `the worker did not start: ${String(error)}`));
        return;
      }
      this.#dead = null;
      const worker = this.#worker;
      worker.onerror = (event) => {
        event.preventDefault();
        if (this.#worker !== worker) return; // one that was ended already: its successor must not pay for it
        refuse(new MiniMindError('worker', `the worker stopped: ${event.message || 'its script did not load'}`, 'Restart it and load the model again.'));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (this.#worker !== worker) return;
        if (data.type === 'started') {
          resolve();
        } else if (data.type === 'failed') {
          refuse(fromPlain(data.error));
        } else {
          this.#answer(data);
        }
      };
      this.#post({ type: 'start', wasm: startValue(this.#options.wasm), later: startValue(this.#options.later) });
    });
  }

  close(): void {
    this.#end(new MiniMindError('worker', 'the worker was closed'));
  }

  load(request: api.LoadRequest, run?: api.RunOptions): Promise<api.ModelInfo> {
    const { role, checkpoint, tokenizer, config } = request;
    const absolute = { role, checkpoint: here(checkpoint), tokenizer: here(tokenizer), config: config && here(config) };
    return this.#call('load', [absolute], run);
  }
  loadDocuments(source: api.Source, run?: api.RunOptions): Promise<number> {
    return this.#call('loadDocuments', [here(source)], run);
  }
  unload(role: api.Role): Promise<void> {
    return this.#call('unload', [role]);
  }
  tokens(prompt: api.Prompt, role: api.Role = 'pretrain'): Promise<api.Token[]> {
    return this.#call('tokens', [prompt, role]);
  }
  startDecode(prompt: api.Prompt, newTokens: number): Promise<api.DecodeStart> {
    return this.#call('startDecode', [prompt, newTokens]);
  }
  step(run?: api.RunOptions): Promise<api.StepRecord> {
    return this.#call('step', [], run);
  }
  stepTo(step: number | undefined, onStep: (record: api.StepRecord) => void, run?: api.RunOptions): Promise<void> {
    return this.#call('stepTo', [step ?? null], run, onStep);
  }
  rewind(step: number): Promise<void> {
    return this.#call('rewind', [step]);
  }
  distribution(position: api.Position, options: api.SamplingOptions, entries = 30): Promise<api.DistributionView> {
    return this.#call('distribution', [position, options, entries]);
  }
  kvBytes(tokens: number[]): Promise<{ tokens: number; bytes: number; afterRepeat: number }[]> {
    return this.#call('kvBytes', [tokens]);
  }
  readers(cardGigabytes: number, context: number, cacheBytesPerValue: 2 | 4): Promise<api.Readers> {
    return this.#call('readers', [cardGigabytes, context, cacheBytesPerValue]);
  }
  answers(request: api.AnswersRequest, run?: api.RunOptions): Promise<api.Answers> {
    return this.#call('answers', [request], run);
  }
  time(prompt: api.Prompt = { kind: 'lab' }, run?: api.RunOptions): Promise<api.Timing> {
    return this.#call('time', [prompt], run);
  }
  importTimings(source: api.Source): Promise<api.ImportedTimings> {
    return this.#call('importTimings', [here(source)]);
  }
  lab(request: api.LabRequest = {}, run?: api.RunOptions): Promise<api.LabRun> {
    return this.#call('lab', [request], run);
  }
  grade(artifacts: api.Artifact[], language: api.Language, feedback: api.Feedback = 'hint', run?: api.RunOptions): Promise<api.GradeResult> {
    return this.#call('grade', [artifacts, language, feedback], run);
  }

  #call<T>(method: string, args: unknown[], run: api.RunOptions = {}, onStep?: (record: api.StepRecord) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      if (run.signal?.aborted) return reject(cancelled());
      const id = this.#next++;
      const cancel = () => this.#post({ type: 'cancel', id });
      const forget = () => run.signal?.removeEventListener('abort', cancel);
      run.signal?.addEventListener('abort', cancel);
      this.#pending.set(id, { resolve, reject, run, forget, ...(onStep && { onStep }) });
      try {
        this.#post({ type: 'call', id, method, args });
      } catch (error) {  // an argument that no message can carry
        this.#settle(id)?.reject(new MiniMindError('range', `${method}: ${String(error)}`));
      }
    });
  }

  #answer(data: Exclude<FromWorker, { type: 'started' | 'failed' }>): void {
    if (data.type === 'progress') this.#pending.get(data.id)?.run.onProgress?.(data.progress);
    else if (data.type === 'step') this.#pending.get(data.id)?.onStep?.(data.record);
    else if (data.type === 'value') this.#settle(data.id)?.resolve(data.value as never);
    else this.#settle(data.id)?.reject(fromPlain(data.error));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    pending?.forget();
    this.#pending.delete(id);
    return pending;
  }

  /** Ends the worker; whatever waits, and every later call until a restart, gets this error. */
  #end(error: MiniMindError): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#dead = error;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }
}

/** A worker from a Blob has no address that a relative one could start from. */
function here(source: api.Source): api.Source {
  return 'url' in source ? { ...source, url: new URL(source.url, document.baseURI).href } : source;
}

function startValue(wasm: File): string | ArrayBuffer {
  if (typeof wasm === 'string' || wasm instanceof URL) return new URL(wasm, document.baseURI).href;
  return wasm instanceof ArrayBuffer ? wasm : (new Uint8Array(wasm).buffer as ArrayBuffer);
}
