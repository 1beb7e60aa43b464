// The client as the tests run it, made from wasm/client by the page's own bundler:
//   client.js        ES module for a page            engine.js  ES module for Node
//   worker.js        the module worker
//   worker.classic.js  the worker as one classic script, for a Blob
import { built, packageOf, root } from './paths.mjs';

const vite = await packageOf('vite');

async function bundle(entry, file, format, name) {
  await vite.build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: built,
      emptyOutDir: false,
      minify: false,
      lib: { entry: `${root}wasm/client/${entry}`, formats: [format], name, fileName: () => file },
    },
  });
}

export async function bundleClient() {
  await bundle('client.ts', 'client.js', 'es');
  await bundle('engine.ts', 'engine.js', 'es');
  await bundle('worker.ts', 'worker.js', 'es');
  await bundle('worker.ts', 'worker.classic.js', 'iife', 'MiniMindWorker');
}

if (process.argv[1] === new URL(import.meta.url).pathname) await bundleClient();
