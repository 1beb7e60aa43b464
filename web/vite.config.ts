/// <reference types="vitest/config" />
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The demo's files, beside the page under the addresses that src/model/demo.ts asks for. */
const DEMO = ['pretrain.pth', 'sft.pth', 'tokenizer.json', 'pretrain_val.jsonl'];
function demoModels(): Plugin {
  return {
    name: 'demo-models',
    apply: 'build',
    generateBundle() {
      for (const name of DEMO) {
        this.emitFile({ type: 'asset', fileName: `models/demo/${name}`, source: readFileSync(here(`models/demo/${name}`)) });
      }
    },
  };
}

/** Nothing but the page's own origin; no inline script or style. A static host that sends no headers gets it as well. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
function contentPolicy(): Plugin {
  return {
    name: 'content-policy',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
    ],
  };
}

/** src/model/early.ts and what it needs, by themselves and at once: a script of the page waits for the page's style. */
const EARLY = 'early';
const EARLY_FILES = /src\/(model\/early|i18n\/load|state\/(first|url))\.ts$/;
function earlyWorker(): Plugin {
  return {
    name: 'early-worker',
    apply: 'build',
    transformIndexHtml: (_, { bundle = {} }) => {
      const early = Object.values(bundle).find(({ name }) => name === EARLY);
      if (!early) throw new Error(`no chunk ${EARLY}`);
      return [{ tag: 'script', attrs: { type: 'module', async: true, crossorigin: true, src: `./${early.fileName}` }, injectTo: 'head-prepend' }];
    },
  };
}

/** Tells the service worker every file of the folder with its check sum. */
function offlineManifest(): Plugin {
  let folder = '';
  return {
    name: 'offline-manifest',
    apply: 'build',
    configResolved: (config) => void (folder = config.build.outDir),
    writeBundle() {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== 'sw.js')
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 32)]);
      const worker = join(folder, 'sw.js');
      const text = readFileSync(worker, 'utf8');
      if (!/(["'`])__FILES__\1/.test(text)) throw new Error('sw.js has no place for the list of files');
      writeFileSync(worker, text.replace(/(["'`])__FILES__\1/, () => JSON.stringify(JSON.stringify(files))));
    },
  };
}

/** `--mode single`: the parts that scripts/single-file.mjs puts into one HTML file. */
export default defineConfig(({ mode }) => {
  const single = mode === 'single';
  return {
    base: './',
    plugins: [svelte(), ...(single ? [] : [demoModels(), earlyWorker(), contentPolicy(), offlineManifest()])],
    resolve: {
      alias: {
        $client: here('../wasm/client'),
        $dist: here('../build/wasm/dist'),
        $packing: here(single ? 'src/model/packing.single.ts' : 'src/model/packing.ts'),
      },
    },
    server: { fs: { allow: [here('..')] } },
    build: {
      outDir: here(single ? '../build/web/parts' : '../build/web/site'),
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: ['chrome123', 'safari17.5', 'firefox120'],
      cssCodeSplit: !single,
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: single ? [here('index.html')] : [here('index.html'), here('src/offline/service-worker.ts')],
        output: {
          codeSplitting: single ? false : { groups: [{ name: EARLY, test: EARLY_FILES }] },
          entryFileNames: (chunk) => (chunk.name === 'service-worker' ? 'sw.js' : 'assets/[name]-[hash].js'),
        },
      },
    },
    worker: { format: 'es' },
    test: { include: ['tests/unit/**/*.test.ts'] },
  };
});
