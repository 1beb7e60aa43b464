// What the page may weigh. Exits with 1 when it is more.
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const site = fileURLToPath(new URL('../../build/web/site/', import.meta.url));
const names = (await readdir(site, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
const read = (name) => readFile(site + name);
const zipped = async (name) => gzipSync(await read(name), { level: 9 }).length;
const sum = async (list) => (await Promise.all(list.map(zipped))).reduce((a, b) => a + b, 0);

const scripts = names.filter((name) => name.endsWith('.js'));
const languages = scripts.filter((name) => /^assets\/(ko|zh|en)-/.test(name));
if (languages.length !== 3) throw new Error(`expected one script a language, found: ${languages.join(', ')}`);
/** A reader loads one language: the heaviest counts. */
const language = Math.max(...(await Promise.all(languages.map(zipped))));
/** Everything else is loaded sooner or later: the page, its worker, the sections further down, the service worker. */
const others = scripts.filter((name) => !languages.includes(name));
for (const part of ['assets/index-', 'assets/early-', 'assets/worker-', 'sw.js']) {
  if (!others.some((name) => name.startsWith(part))) throw new Error(`expected ${part} among: ${others.join(', ')}`);
}

const modules = names.filter((name) => name.endsWith('.wasm'));
if (modules.length !== 1) throw new Error(`expected one module, found: ${modules.join(', ')}`);

const KB = 1000;
const budgets = [
  ['all script that is ever loaded in one language, gzip', (await sum(others)) + language, 110 * KB],
  ['style, gzip', await sum(names.filter((name) => name.endsWith('.css'))), 18 * KB],
  ['module (wasm), gzip', await sum(modules), 300 * KB],
];
for (const name of names.filter((found) => found.endsWith('.pth'))) budgets.push([name, (await read(name)).length, 3000 * KB]);

let over = 0;
for (const [what, bytes, limit] of budgets) {
  const fits = bytes <= limit;
  if (!fits) over += 1;
  console.log(`${fits ? 'ok  ' : 'OVER'}  ${(bytes / KB).toFixed(1).padStart(8)} of ${limit / KB} KB  ${what}`);
}
process.exitCode = over ? 1 : 0;
