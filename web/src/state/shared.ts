/**
 * One piece of work that several wait for. Each may leave at once, and the last who leaves ends it: nobody's stop ends
 * another's wait. What failed or was ended is begun anew by the next who asks. Pure.
 */
import type { Progress } from '$client/api';

export interface Wait {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export class Shared<Value> {
  readonly #begin: (run: Required<Wait>) => Promise<Value>;
  readonly #waiting = new Set<Wait>();
  #under: { result: Promise<Value>; end: AbortController } | null = null;

  constructor(begin: (run: Required<Wait>) => Promise<Value>) {
    this.#begin = begin;
  }

  /** Rejects as the work does, or with the signal's reason as soon as that fires. */
  async wait(wait: Wait = {}): Promise<Value> {
    const { signal } = wait;
    signal?.throwIfAborted();
    const { result, end } = (this.#under ??= this.#start());
    this.#waiting.add(wait);
    let leave = () => {};
    try {
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal?.reason);
        signal?.addEventListener('abort', leave);
      });
      return await Promise.race([result, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#waiting.delete(wait);
      if (this.#waiting.size === 0 && signal?.aborted) this.#end(end);
    }
  }

  #start() {
    const end = new AbortController();
    const onProgress = (progress: Progress) => this.#waiting.forEach((wait) => wait.onProgress?.(progress));
    const result = this.#begin({ signal: end.signal, onProgress });
    result.catch(() => this.#forget(end));
    return { result, end };
  }

  #end(end: AbortController): void {
    this.#forget(end);
    end.abort();
  }

  #forget(end: AbortController): void {
    if (this.#under?.end === end) this.#under = null;
  }
}
