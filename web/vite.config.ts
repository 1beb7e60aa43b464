/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: './',
  plugins: [svelte()],
  resolve: { alias: { $client: here('../wasm/client') } },
  server: { fs: { allow: [here('..')] } },
  build: { outDir: here('../build/web/site'), emptyOutDir: true, target: 'es2022', modulePreload: false, assetsInlineLimit: 0 },
  worker: { format: 'es' },
  test: { include: ['tests/unit/**/*.test.ts'] },
});
