/**
 * Types of minimind.js, which emscripten writes into build/wasm/dist. Use wasm/client, which speaks in calls and values;
 * this is what it stands on.
 */
export interface MiniMindModule {
  /** The module's memory. Growing replaces it: read this anew after every call. */
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  /** An address, or 0 when there is no memory left. Signed: use `>>> 0`. */
  _mm_alloc(bytes: number): number;
  _mm_resize(address: number, bytes: number): number;
  _mm_free(address: number): void;
  /** Bytes handed out by the module's allocator and not given back. */
  _mm_used(): number;
  /**
   * Runs a call. Both arguments are UTF-8, zero-terminated, in memory from _mm_alloc, and freed by the call.
   * Returns the address of UTF-8 JSON: {"value": …} or {"error": {kind, message, hint, file}}.
   */
  _mm_call(name: number, params: number): number;
}

export interface MiniMindModuleOptions {
  /** Bytes of minimind.wasm. */
  wasmBinary: ArrayBuffer | Uint8Array<ArrayBuffer>;
  /** For what would go to a terminal. */
  printErr?: (line: string) => void;
}

export type CreateMiniMindModule = (options: MiniMindModuleOptions) => Promise<MiniMindModule>;

declare const createMiniMindModule: CreateMiniMindModule;
export default createMiniMindModule;
