/// <reference types="vitest/config" />
import { readFileSync } from 'node:fs';
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


export default defineConfig({
  base: './',
  plugins: [svelte(), demoModels()],
  resolve: {
    alias: {
      $client: here('../wasm/client'),
      'minimind-module': here('../build/wasm/dist/minimind.js'),
      $dist: here('../build/wasm/dist'),
    },
  },
  server: { fs: { allow: [here('..')] } },
  build: { sourcemap: false, cssTarget: ['chrome123', 'safari17.5', 'firefox120'], outDir: here('../build/web/site'), emptyOutDir: true, target: 'es2022', modulePreload: false, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  test: { include: ['tests/unit/**/*.test.ts'] },
});
