/**
 * The page's side: starts the worker and turns calls into messages and answers into promises.
 *
 *     const lab = await startMiniMind({
 *       worker: () => new Worker(new URL('../wasm/client/worker.ts', import.meta.url), { type: 'module' }),
 *       wasm: new URL('../build/wasm/dist/minimind.wasm', import.meta.url),
 *     });
 *     const { pretrain } = await lab.open({ pretrain: { url }, tokenizer: { url }, own: false }, { onProgress });
 */
import type * as api from './api.ts';
import { CALL_NAMES, CALLS } from './calls.ts';
import { cancelled, fromPlain, MiniMindError } from './errors.ts';
import { requireEnvironment } from './module.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

export { MiniMindError } from './errors.ts';
export type * from './api.ts';

type File = string | URL | ArrayBuffer | Uint8Array;

export interface StartOptions {
  /** Makes the worker that runs wasm/client/worker.ts. */
  worker: () => Worker;
  /** Where minimind.wasm is, or its bytes (a file:// page has them inside). */
  wasm: File;
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: MiniMindError) => void;
  run: api.RunOptions;
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
  const connection = new Connection(options);
  const calls = CALL_NAMES.map((name) => [name, (...args: unknown[]) => connection.call(name, args)] as const);
  const client = {
    ...Object.fromEntries(calls),
    restart: () => connection.restart(),
    close: () => connection.close(),
  } as api.MiniMind;
  return { client, started: connection.restart() };
}

class Connection {
  readonly #options: StartOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  /** Tells whoever waits for the worker to start that it will not. */
  #refuseStart: (error: MiniMindError) => void = () => undefined;
  #dead: MiniMindError | null = null;
  #next = 1;

  constructor(options: StartOptions) {
    this.#options = options;
  }

  restart(): Promise<void> {
    this.#end(new MiniMindError('worker', 'the worker was restarted', 'Load the model again.'));
    return new Promise((resolve, reject) => {
      this.#refuseStart = reject;
      let worker: Worker;
      try {
        worker = this.#options.worker();
      } catch (error) {
        this.#end(new MiniMindError('worker', `the worker did not start: ${String(error)}`));
        return;
      }
      this.#worker = worker;
      this.#dead = null;
      worker.onerror = (event) => {
        event.preventDefault();
        if (this.#worker !== worker) return; // one that was ended already: its successor must not pay for it
        this.#end(new MiniMindError('worker', `the worker stopped: ${event.message || 'its script did not load'}`, 'Restart it and load the model again.'));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (this.#worker !== worker) return;
        if (data.type === 'started') resolve();
        else if (data.type === 'failed') this.#end(fromPlain(data.error));
        else this.#answer(data);
      };
      this.#post({ type: 'start', wasm: startValue(this.#options.wasm) });
    });
  }

  close(): void {
    this.#end(new MiniMindError('worker', 'the worker was closed'));
  }

  /** @param args  the call's, then RunOptions */
  call(name: api.CallName, args: readonly unknown[]): Promise<unknown> {
    const { takes } = CALLS[name];
    const run = (args[takes] ?? {}) as api.RunOptions;
    return new Promise((resolve, reject) => {
      if (this.#dead) return reject(this.#dead);
      if (run.signal?.aborted) return reject(cancelled());
      const id = this.#next++;
      const cancel = () => this.#post({ type: 'cancel', id });
      const forget = () => run.signal?.removeEventListener('abort', cancel);
      run.signal?.addEventListener('abort', cancel);
      this.#pending.set(id, { resolve, reject, run, forget });
      try {
        this.#post({ type: 'call', id, name, args: args.slice(0, takes).map(withAddresses) });
      } catch (error) { // an argument that no message can carry
        this.#settle(id)?.reject(new MiniMindError('range', `${name}: ${String(error)}`));
      }
    });
  }

  #answer(data: Exclude<FromWorker, { type: 'started' | 'failed' }>): void {
    if (data.type === 'progress') this.#pending.get(data.id)?.run.onProgress?.(data.progress);
    else if (data.type === 'step') this.#pending.get(data.id)?.run.onStep?.(data.record);
    else if (data.type === 'value') this.#settle(data.id)?.resolve(data.value);
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
    this.#refuseStart(error);
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A worker from a Blob has no address that a relative one could start from: sources get whole ones. */
function withAddresses(argument: unknown): unknown {
  if (Array.isArray(argument)) return argument.map(withAddresses);
  if (!isObject(argument) || Object.getPrototypeOf(argument) !== Object.prototype) return argument;
  if (typeof argument.url === 'string') return { ...argument, url: new URL(argument.url, document.baseURI).href };
  return Object.fromEntries(Object.entries(argument).map(([name, value]) => [name, withAddresses(value)]));
}

function startValue(wasm: File): string | ArrayBuffer {
  if (typeof wasm === 'string' || wasm instanceof URL) return new URL(wasm, document.baseURI).href;
  return wasm instanceof ArrayBuffer ? wasm : (new Uint8Array(wasm).buffer as ArrayBuffer);
}
