/** Starts the worker with the module. The one place where the page knows how it is packed. */
import { startMiniMind, type MiniMind } from '$client/client';
import wasm from '$dist/minimind.wasm?url';

export const connect = (): Promise<MiniMind> =>
  startMiniMind({
    worker: () => new Worker(new URL('../../../wasm/client/worker.ts', import.meta.url), { type: 'module' }),
    wasm,
  });
