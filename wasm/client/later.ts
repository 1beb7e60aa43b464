/**
 * minimind.later.wasm, the module's second file: what opening a model and stepping through it does without
 * (wasm/split.mjs). Fetched when there is time for it; at the latest, the call that needs it waits for it.
 */
import { MiniMindError } from './errors.ts';

export type Bytes = ArrayBuffer | Uint8Array<ArrayBuffer>;

export class Later {
  readonly #source: string | Bytes;

  /** @param source  its address, or its bytes */
  constructor(source: string | Bytes) {
    this.#source = source;
  }

  /** Rejects with a MiniMindError of kind "download"; asking again tries again. */
  async fetch(): Promise<Bytes> {
    return typeof this.#source === 'string' ? fetchBytes(this.#source) : this.#source;
  }

  /** The bytes without giving way: only a worker may wait like this. */
  now(): Bytes {
    if (typeof this.#source !== 'string') return this.#source;
    const request = new XMLHttpRequest();
    request.open('GET', this.#source, false);
    request.responseType = 'arraybuffer';
    try {
      request.send();
    } catch (error) {
      throw missing(error);
    }
    if (request.status !== 200) throw missing(`the server answered ${request.status}`);
    return request.response as ArrayBuffer;
  }
}

/** A file of the module. @throws MiniMindError "download" */
export async function fetchBytes(url: string): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw `the server answered ${response.status}`;
    return await response.arrayBuffer();
  } catch (reason) {
    throw missing(reason);
  }
}

function missing(reason: unknown): MiniMindError {
  const words = reason instanceof Error ? reason.message : String(reason);
  return new MiniMindError('download', `the WebAssembly module did not arrive: ${words}`, 'Reload the page.');
}
