/**
 * Types of minimind.js, which build/wasm/dist has as an ES module and, for a page that is one file, as a classic
 * script that sets `createMiniMindModule`. Use wasm/client, which speaks in calls and values; this is what it stands
 * on.
 */
export interface MiniMindExports {
  /** An address, or 0 when there is no memory left. Signed: use `>>> 0`. */
  mm_alloc(bytes: number): number;
  mm_resize(address: number, bytes: number): number;
  mm_free(address: number): void;
  /** Bytes handed out by the module's allocator and not given back. */
  mm_used(): number;
  /**
   * Runs a call. Both arguments are UTF-8, zero-terminated, in memory from mm_alloc, and freed by the call.
   * Returns the address of UTF-8 JSON: {"value": …} or {"error": {kind, message, hint}}.
   */
  mm_call(name: number, params: number): number;
}

export interface MiniMindModule {
  readonly exports: MiniMindExports;
  /** The module's memory. Growing replaces it: read this anew after every call. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Brings the second file, unless it is there. Fails as `later.fetch` does; the first file works on. */
  whole(): Promise<void>;
}

/** Where minimind.later.wasm comes from. */
export interface LaterFile {
  fetch(): Promise<BufferSource>;
  /** Without giving way: a call that cannot go on without the file waits for it. What it throws, the call throws. */
  now(): BufferSource;
}

export interface MiniMindModuleOptions {
  /** Bytes of minimind.wasm. */
  wasm: BufferSource;
  later: LaterFile;
}

export type CreateMiniMindModule = (options: MiniMindModuleOptions) => Promise<MiniMindModule>;

declare const createMiniMindModule: CreateMiniMindModule;
export default createMiniMindModule;
