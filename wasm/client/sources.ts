/**
 * Brings Sources' bytes into the module's memory, chunk by chunk: a checkpoint of any size is never in JavaScript as a
 * whole.
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

/** Bytes of all sources together; `total` is null while unknown. */
export type OnBytes = (done: number, total: number | null) => void;

/** A source that has begun to come. */
interface Coming {
  name: string;
  /** Null when unknown. */
  size: number | null;
  chunks: () => AsyncIterable<Uint8Array>;
  /** Nobody will read it. */
  drop: () => void;
  /** What a failure on the way is to the reader. */
  failed: (error: unknown) => MiniMindError;
}

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

/** All sources, or none: what was read is freed when one fails. */
export async function readSources<Name extends string>(
  module: Module, sources: readonly (readonly [Name, Source])[], signal: AbortSignal, onBytes: OnBytes,
): Promise<Partial<Record<Name, LoadedFile>>> {
  const files: Partial<Record<Name, LoadedFile>> = {};
  // All are asked for before the first is read: then their sizes are known, and progress is that of all together.
  const asked = await Promise.allSettled(sources.map(([, source]) => begin(source, signal)));
  const coming = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    for (const one of asked) if (one.status === 'rejected') throw one.reason;
    const total = coming.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0);
    let done = 0;
    onBytes(0, total);
    for (const [index, one] of coming.entries()) {
      const [name] = sources[index] as readonly [Name, Source];
      files[name] = await read(module, one, signal, (bytes) => onBytes((done += bytes), total));
    }
    if (signal.aborted) throw cancelled();
    return files;
  } catch (error) {
    for (const one of coming) one.drop();
    for (const file of Object.values<LoadedFile | undefined>(files)) if (file) module.free(file.at);
    throw error;
  }
}

async function read(module: Module, source: Coming, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<LoadedFile> {
  const target = new Growing(module, source.size ?? 0);
  try {
    for await (const chunk of source.chunks()) {
      if (signal.aborted) throw cancelled();
      target.add(chunk);
      onBytes(chunk.length);
    }
    if (source.size !== null && target.size !== source.size) {
      throw source.failed(`${target.size} of ${source.size} bytes arrived`);
    }
    return target.take(source.name);
  } catch (error) {
    target.drop();
    if (signal.aborted) throw cancelled();
    throw error instanceof MiniMindError ? error : source.failed(error);
  }
}

async function begin(source: Source, signal: AbortSignal): Promise<Coming> {
  if ('url' in source) return download(source.url, source.bytes ?? null, signal);
  const { name } = source;
  if ('data' in source) return { name, size: source.data.length, chunks: () => once(source.data), drop: () => undefined, failed: unreadable(name) };
  return { name, size: source.file.size, chunks: () => slices(source.file), drop: () => undefined, failed: unreadable(name) };
}

async function download(url: string, expected: number | null, signal: AbortSignal): Promise<Coming> {
  const name = decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '') || url;
  const failed = (error: unknown) => {
    broken.add(url);
    return new MiniMindError('download', `${name} did not arrive: ${reasonOf(error)}`, 'Try again.', name);
  };
  let response: Response;
  try {
    const asked = early.get(url) ?? request(url, signal);
    early.delete(url);
    response = await asked;
  } catch (error) {
    throw signal.aborted ? cancelled() : failed(error);
  }
  const { body } = response;
  if (!response.ok || !body) throw failed(`the server answered ${response.status}`);
  const length = response.headers.get('content-encoding') ? null : response.headers.get('content-length');
  const chunks = async function* () {
    yield* chunksOf(body);
    broken.delete(url);
  };
  return {
    name,
    size: expected ?? (length === null ? null : Number(length)),
    chunks,
    drop: () => void (body.locked || body.cancel().catch(() => undefined)),
    failed,
  };
}

async function* once(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data;
}

async function* slices(file: Blob): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < file.size; ) {
    const chunk = new Uint8Array(await file.slice(done, Math.min(file.size, done + SLICE)).arrayBuffer());
    if (chunk.length === 0) return;
    yield chunk;
    done += chunk.length;
  }
}

/** A body in pieces; through one buffer used again and again where streams can, so that no garbage heaps up. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let buffer = new ArrayBuffer(1 << 20);
  let reader: ReadableStreamDefaultReader<Uint8Array> | ReadableStreamBYOBReader;
  let next: () => Promise<ReadableStreamReadResult<Uint8Array>>;
  try {
    const byob = (reader = body.getReader({ mode: 'byob' }));
    next = () => byob.read(new Uint8Array(buffer));
  } catch {
    const plain = (reader = body.getReader());
    next = () => plain.read();
  }
  try {
    for (let read = await next(); !read.done; read = await next()) {
      yield read.value;
      buffer = read.value.buffer as ArrayBuffer;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // whoever reads may have given up
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

const unreadable = (name: string) => (error: unknown): MiniMindError =>
  new MiniMindError('io', `${name}: the file could not be read: ${reasonOf(error)}`, 'Choose the file again.', name);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
