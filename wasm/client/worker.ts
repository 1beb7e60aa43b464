/**
 * The worker's script: `new Worker(new URL('…/wasm/client/worker.ts', import.meta.url), { type: 'module' })`, or, bundled
 * into one classic script, from a Blob.
 */
import createModule from '../../build/wasm/dist/minimind.js';
import { serve, type Scope } from './serve.ts';

serve(self as unknown as Scope, createModule);
