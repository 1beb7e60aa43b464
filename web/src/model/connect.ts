/** Starts the worker with the module. The one place where the page knows how it is packed. */
import type { MiniMind } from '$client/api';

export function connect(): Promise<MiniMind> {
  const error = Object.assign(new Error('the module is not built yet'), { kind: 'environment', hint: '' });
  return Promise.reject(error);
}
