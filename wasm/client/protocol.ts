/** Messages between the page (client.ts) and the worker (serve.ts). */
import type * as api from './api.ts';
import type { PlainError } from './errors.ts';

export type ToWorker =
  | { type: 'start'; wasm: string | ArrayBuffer }
  | { type: 'call'; id: number; name: string; args: unknown[] }
  | { type: 'cancel'; id: number };

export type FromWorker =
  | { type: 'started' }
  | { type: 'failed'; error: PlainError }
  | { type: 'value'; id: number; value: unknown }
  | { type: 'error'; id: number; error: PlainError }
  | { type: 'progress'; id: number; progress: api.Progress }
  | { type: 'step'; id: number; record: api.StepRecord };
