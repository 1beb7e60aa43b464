import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

const components = readdirSync(fileURLToPath(new URL('src', import.meta.url)), { recursive: true })
  .map((name) => `/${String(name).replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.svelte'))
  .sort();

export default {
  preprocess: vitePreprocess(),
  compilerOptions: {
    runes: true,
    // The class that ties a component's style to it stands in every tag: its number says as much as a hash.
    cssHash: ({ filename }) => `s${components.findIndex((name) => filename.endsWith(name)).toString(36)}`,
  },
};
