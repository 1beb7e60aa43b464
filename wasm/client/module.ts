/**
 * The WebAssembly module as calls and values: text in, JSON out, errors thrown as MiniMindError. Runs wherever
 * the module does (a worker, Node); knows nothing of threads or of what the calls mean.
 */
import type { ErrorKind } from './api.ts';
import { MiniMindError } from './errors.ts';
import type { Bytes, Later } from './later.ts';
import type { CreateMiniMindModule, MiniMindModule } from '../minimind';

export type Values = Record<string, unknown>;

/** Bytes in the module's memory. */
export interface Place {
  at: number;
  size: number;
}

/** (module (func (result v128) i32.const 0 i8x16.splat)): valid where SIMD is known. */
const SIMD_PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];

/** Throws MiniMindError "environment" where the module cannot run, saying what is missing. */
export function requireEnvironment(): void {
  if (typeof WebAssembly !== 'object') {
    throw new MiniMindError('environment', 'this browser has no WebAssembly', 'Use a current browser.');
  }
  if (!WebAssembly.validate(new Uint8Array(SIMD_PROBE))) {
    throw new MiniMindError('environment', 'this browser has no WebAssembly SIMD', 'Use a current browser.');
  }
}

export class Module {
  readonly #module: MiniMindModule;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #dead: MiniMindError | null = null;

  private constructor(module: MiniMindModule) {
    this.#module = module;
  }

  /** @param wasm  minimind.wasm  @param later  minimind.later.wasm, not asked for before it is needed */
  static async create(createModule: CreateMiniMindModule, wasm: Bytes, later: Later): Promise<Module> {
    requireEnvironment();
    try {
      return new Module(await createModule({ wasm, later }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MiniMindError('environment', `the WebAssembly module did not start: ${reason}`);
    }
  }

  /** Brings the second file. Rejects with MiniMindError "download"; what the first file can do still works then. */
  whole(): Promise<void> {
    return this.#module.whole();
  }

  /** Memory for `size` bytes; give it to a call that takes a file, or to free(). */
  alloc(size: number): number {
    const at = this.#guard(() => this.#module.exports.mm_alloc(Math.max(size, 1))) >>> 0;
    if (at === 0) throw outOfMemory(size);
    return at;
  }

  resize(at: number, size: number): number {
    const moved = this.#guard(() => this.#module.exports.mm_resize(at, Math.max(size, 1))) >>> 0;
    if (moved === 0) throw outOfMemory(size);
    return moved;
  }

  free(at: number): void {
    this.#guard(() => this.#module.exports.mm_free(at));
  }

  write(at: number, bytes: Uint8Array): void {
    this.#module.bytes.set(bytes, at);
  }

  /** Copies of arrays that a reply points to. */
  int32(place: Place): Int32Array {
    return new Int32Array(this.#copy(place.at, place.size * 4));
  }
  float32(place: Place): Float32Array {
    return new Float32Array(this.#copy(place.at, place.size * 4));
  }

  /** Bytes of the whole memory of the module. */
  get memoryBytes(): number {
    return this.#module.bytes.length;
  }

  /** Bytes in use in it. */
  get usedBytes(): number {
    return this.#guard(() => this.#module.exports.mm_used()) >>> 0;
  }

  /** Runs a call of wasm/bindings. The caller says what type the value has: api.ts describes it. */
  call<T>(name: string, params: Values = {}): T {
    const nameAt = this.#text(name);
    const paramsAt = this.#text(JSON.stringify(params));
    const at = this.#guard(() => this.#module.exports.mm_call(nameAt, paramsAt)) >>> 0;
    const memory = this.#module.bytes;
    const reply = JSON.parse(this.#decoder.decode(memory.subarray(at, memory.indexOf(0, at)))) as {
      value?: T;
      error?: { kind: ErrorKind; message: string; hint: string };
    };
    if (reply.error) throw new MiniMindError(reply.error.kind, reply.error.message, reply.error.hint);
    return reply.value as T;
  }

  #text(text: string): number {
    const bytes = this.#encoder.encode(text);
    const at = this.alloc(bytes.length + 1);
    this.write(at, bytes);
    this.#module.bytes[at + bytes.length] = 0;
    return at;
  }

  #copy(at: number, bytes: number): ArrayBuffer {
    return this.#module.bytes.slice(at, at + bytes).buffer;
  }

  /** A trap leaves the module in no known state: nothing is asked of it any more. */
  #guard<T>(work: () => T): T {
    if (this.#dead) throw this.#dead;
    try {
      return work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#dead = new MiniMindError('worker', `the WebAssembly module stopped: ${reason}`, 'Restart it and load the model again.');
      throw this.#dead;
    }
  }
}

function outOfMemory(size: number): MiniMindError {
  return new MiniMindError(
    'memory',
    `the browser gave no memory for ${Math.ceil(size / 1e6)} MB`,
    'Close other tabs, or use a smaller model.',
  );
}
