/**
 * The WebAssembly module as calls and values: text in, JSON out, errors thrown as MiniMindError. Runs wherever
 * the module does (a worker, Node); knows nothing of threads or of what the calls mean.
 */
import { MiniMindError, type PlainError } from './errors.ts';
import type { CreateMiniMindModule, MiniMindModule, MiniMindModuleOptions } from '../minimind';

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

  static async create(createModule: CreateMiniMindModule, wasmBinary: MiniMindModuleOptions['wasmBinary']): Promise<Module> {
    requireEnvironment();
    try {
      // What it would print is in the error as well.
      return new Module(await createModule({ wasmBinary, printErr: () => undefined }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MiniMindError('environment', `the WebAssembly module did not start: ${reason}`);
    }
  }

  /** Memory for `size` bytes; give it to a call that takes a file, or to free(). */
  alloc(size: number): number {
    const at = this.#guard(() => this.#module._mm_alloc(Math.max(size, 1))) >>> 0;
    if (at === 0) throw outOfMemory(size);
    return at;
  }

  resize(at: number, size: number): number {
    const moved = this.#guard(() => this.#module._mm_resize(at, Math.max(size, 1))) >>> 0;
    if (moved === 0) throw outOfMemory(size);
    return moved;
  }

  free(at: number): void {
    this.#guard(() => this.#module._mm_free(at));
  }

  write(at: number, bytes: Uint8Array): void {
    this.#module.HEAPU8.set(bytes, at);
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
    return this.#module.HEAPU8.length;
  }

  /** Bytes in use in it. */
  get usedBytes(): number {
    return this.#guard(() => this.#module._mm_used()) >>> 0;
  }

  /** Runs a call of wasm/bindings. The caller says what type the value has: api.ts describes it. */
  call<T>(name: string, params: Values = {}): T {
    return this.callAt(this.#text(name), this.#text(JSON.stringify(params)));
  }

  /** The same with both texts in the module's memory already, each with a zero at its end. */
  callAt<T>(nameAt: number, paramsAt: number): T {
    const at = this.#guard(() => this.#module._mm_call(nameAt, paramsAt)) >>> 0;
    const memory = this.#module.HEAPU8;
    const reply = JSON.parse(this.#decoder.decode(memory.subarray(at, memory.indexOf(0, at)))) as { value?: T; error?: PlainError };
    if (reply.error) throw new MiniMindError(reply.error.kind, reply.error.message, reply.error.hint, reply.error.file);
    return reply.value as T;
  }

  #text(text: string): number {
    const bytes = this.#encoder.encode(text);
    const at = this.alloc(bytes.length + 1);
    this.write(at, bytes);
    this.#module.HEAPU8[at + bytes.length] = 0;
    return at;
  }

  #copy(at: number, bytes: number): ArrayBuffer {
    return this.#module.HEAPU8.slice(at, at + bytes).buffer;
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
