/**
 * Makes the module of its two files (split.mjs) and gives it what it asks of its host: a clock, and an end.
 *
 * Where the first file's table lacks a function of the second one, a placeholder is imported: it brings the second
 * file, whose functions take their places in the table by themselves, and calls what it finds in its own place then.
 *
 * @type {import('./minimind').CreateMiniMindModule}
 */
export default async function createMiniMindModule({ wasm, later }) {
  /** @type {any} */
  let exports = {};
  let whole = false;
  /** @type {Promise<void> | null} */
  let coming = null;
  let bytes = new Uint8Array();

  const add = (/** @type {WebAssembly.Module} */ module) => {
    if (!whole) new WebAssembly.Instance(module, { primary: exports });
    whole = true;
  };
  const placeholder = new Proxy({}, {
    get: (_, place) => (/** @type {unknown[]} */ ...values) => {
      add(new WebAssembly.Module(later.now()));
      return exports.__indirect_function_table.get(Number(place))(...values);
    },
  });
  const { instance } = await WebAssembly.instantiate(wasm, {
    placeholder,
    env: { emscripten_notify_memory_growth: () => undefined },
    wasi_snapshot_preview1: {
      clock_time_get(/** @type {number} */ clock, /** @type {bigint} */ _precision, /** @type {number} */ at) {
        const milliseconds = clock === 0 ? Date.now() : performance.now();
        new DataView(exports.memory.buffer).setBigUint64(at, BigInt(Math.round(milliseconds * 1e6)), true);
        return 0;
      },
      proc_exit(/** @type {number} */ code) {
        throw new WebAssembly.RuntimeError(`it ended itself (${code})`);
      },
    },
  });
  exports = instance.exports;
  exports._initialize();
  return {
    exports,
    get bytes() {
      if (bytes.buffer !== exports.memory.buffer) bytes = new Uint8Array(exports.memory.buffer);
      return bytes;
    },
    async whole() {
      if (whole) return;
      coming ??= later.fetch().then((file) => WebAssembly.compile(file)).then(add).finally(() => (coming = null));
      await coming;
    },
  };
}
