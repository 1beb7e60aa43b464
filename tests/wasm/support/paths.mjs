// Where things are, and the npm packages: those of web/package.json, the only ones the project has.
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const dist = `${root}build/wasm/dist/`;
export const demo = `${root}web/models/demo/`;
export const built = `${root}build/wasm/test/`;

const require = createRequire(`${root}web/package.json`);

export async function packageOf(name) {
  if (!existsSync(`${root}web/node_modules`)) throw new Error('npm packages are missing: run `npm ci` in web/');
  return import(pathToFileURL(require.resolve(name)).href);
}
