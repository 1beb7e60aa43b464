/**
 * Brings a Source's bytes into the module's memory, chunk by chunk: a checkpoint of any size is never in
 * JavaScript as a whole.
 */
import type { Source } from './api.ts';
import { cancelled, MiniMindError } from './errors.ts';
import type { Module } from './module.ts';

/** A file in the module's memory, as wasm/bindings takes it. */
export interface LoadedFile {
  at: number;
  size: number;
  name: string;
}

/** `total` is null while unknown. */
export type OnBytes = (done: number, total: number | null) => void;

const SLICE = 4 << 20;
/** Addresses that did not arrive whole: the next attempt asks the server again, not the browser's cache. */
const broken = new Set<string>();

/** Asked for before the module was there to take them. */
const early = new Map<string, Promise<Response>>();

/** Begins to download a source that will be read later. */
export function askFor(source: Source, signal: AbortSignal): void {
  if (!('url' in source) || early.has(source.url)) return;
  const { url } = source;
  const response = request(url, signal);
  response.catch(() => undefined); // told to the reader
  early.set(url, response);
  signal.addEventListener('abort', () => early.delete(url));
}

const request = (url: string, signal: AbortSignal): Promise<Response> => fetch(url, { signal, cache: broken.has(url) ? 'reload' : 'default' });

export async function readSource(module: Module, source: Source, signal: AbortSignal, onBytes: OnBytes): Promise<LoadedFile> {
  if ('url' in source) return download(module, source.url, source.bytes ?? null, signal, onBytes);
  const name = source.name;
  if ('data' in source) {
    const at = module.alloc(withSlack(source.data.length));
    module.write(at, source.data);
    onBytes(source.data.length, source.data.length);
    return { at, size: source.data.length, name };
  }
  const size = source.file.size;
  const target = new Growing(module, size);
  try {
    for (let done = 0; done < size; ) {
      if (signal.aborted) throw cancelled();
      const chunk = new Uint8Array(await source.file.slice(done, Math.min(size, done + SLICE)).arrayBuffer());
      if (chunk.length === 0) break;
      target.add(chunk);
      done += chunk.length;
      onBytes(done, size);
    }
    return target.take(name);
  } catch (error) {
    target.drop();
    if (error instanceof MiniMindError) throw error;
    throw new MiniMindError('io', `${name}: the file could not be read: ${reasonOf(error)}`, 'Choose the file again.');
  }
}

async function download(module: Module, url: string, expected: number | null, signal: AbortSignal, onBytes: OnBytes): Promise<LoadedFile> {
  const name = decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '') || url;
  let target: Growing | null = null;
  try {
    const asked = early.get(url) ?? request(url, signal);
    early.delete(url);
    const response = await asked;
    if (!response.ok || !response.body) throw incomplete(name, `the server answered ${response.status}`);
    const length = response.headers.get('content-encoding') ? null : response.headers.get('content-length');
    const total = expected ?? (length === null ? null : Number(length));
    target = new Growing(module, total ?? 0);
    onBytes(0, total);
    for await (const chunk of chunksOf(response.body)) {
      target.add(chunk);
      onBytes(target.size, total);
    }
    if (total !== null && target.size !== total) {
      throw incomplete(name, `${target.size} of ${total} bytes arrived`);
    }
    broken.delete(url);
    return target.take(name);
  } catch (error) {
    target?.drop();
    if (signal.aborted) throw cancelled();
    if (error instanceof MiniMindError && error.kind !== 'download') throw error;
    broken.add(url);
    throw error instanceof MiniMindError ? error : incomplete(name, reasonOf(error));
  }
}

/** A body in pieces; through one buffer used again and again where streams can, so that no garbage heaps up. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    const plain = body.getReader();
    for (let read = await plain.read(); !read.done; read = await plain.read()) yield read.value;
    return;
  }
  let buffer = new ArrayBuffer(1 << 20);
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (value) {
      yield value;
      buffer = value.buffer;
    }
    if (done) return;
  }
}

/** A checkpoint is packed in its own memory, from its end (core/model/weights): the first matrices need room behind it. */
const withSlack = (size: number): number => size + (64 << 10) + (size >>> 4);

/** Memory of the module that bytes are appended to. */
class Growing {
  size = 0;
  readonly #module: Module;
  #at: number;
  #room: number;

  constructor(module: Module, room: number) {
    this.#module = module;
    this.#room = withSlack(room);
    this.#at = module.alloc(this.#room);
  }

  add(bytes: Uint8Array): void {
    if (this.size + bytes.length > this.#room) {
      this.#room = Math.max(this.size + bytes.length, Math.ceil(this.#room * 1.25));
      this.#at = this.#module.resize(this.#at, this.#room);
    }
    this.#module.write(this.#at + this.size, bytes);
    this.size += bytes.length;
  }

  take(name: string): LoadedFile {
    return { at: this.#at, size: this.size, name };
  }

  drop(): void {
    this.#module.free(this.#at);
  }
}

const incomplete = (name: string, reason: string): MiniMindError =>
  new MiniMindError('download', `${name} did not arrive: ${reason}`, 'Try again.');

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
