/**
 * What index.html runs by itself, as soon as it is there, while the rest of the page is on its way (vite.config.ts): the
 * page's first worker starts, and its words come. Once a page is being drawn, the browser comes to starting a worker
 * only when that is done.
 */
import { LOAD } from '../i18n/load';
import { firstScene } from '../state/first';

const newWorker = (): Worker => new Worker(new URL('../../../wasm/client/worker.ts', import.meta.url), { type: 'module' });

let first: Worker | null = null;
try {
  first = newWorker();
  // Whoever asks makes another one then, and hears why that does not start either.
  first.onerror = () => (first = null);
} catch {
  // Told to whoever asks.
}
// The page asks again, and hears why they did not come.
LOAD[firstScene().language]().catch(() => undefined);

/** The first one, to whom asks first. */
export function takeWorker(): Worker {
  const worker = first ?? newWorker();
  first = null;
  return worker;
}
