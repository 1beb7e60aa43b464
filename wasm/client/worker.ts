/** The module worker: `new Worker(new URL('…/wasm/client/worker.ts', import.meta.url), { type: 'module' })`. */
import createModule from '../minimind.js';
import { serve, type Scope } from './serve.ts';

serve(self as unknown as Scope, createModule);
