// One HTML file that works by a double click: build/web/parts (vite build --mode single), the worker, the module and
// the demo, all inside. Script and style are allowed by their hashes, and nothing may be fetched.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = `${root}build/wasm/dist/`;
const parts = `${root}build/web/parts/`;
const demo = ['pretrain.pth', 'sft.pth', 'tokenizer.json', 'pretrain_val.jsonl'];

/** wasm/client's worker with the module's script, as one classic script. */
async function workerText() {
  const [{ output }] = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: `${root}wasm/client/worker.ts`, formats: ['iife'], name: 'MiniMindWorker' },
    },
  });
  return output[0].code;
}

/** Inside a script element the parser looks for its end, and for comments. */
const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const data = (id, text) => `<script type="text/plain" id="${id}">${text}</script>`;

const assets = await readdir(`${parts}assets`);
const only = async (ending) => {
  const found = assets.filter((name) => name.endsWith(ending) && !name.startsWith('worker'));
  if (found.length !== 1) throw new Error(`expected one ${ending} in ${parts}assets, found: ${found.join(', ')}`);
  return readFile(`${parts}assets/${found[0]}`, 'utf8');
};
const script = inScript(await only('.js'));
const style = await only('.css');
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  'img-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const page = await readFile(`${parts}index.html`, 'utf8');
const head = page
  .replace(/\s*<script type="module"[^>]*><\/script>/, '')
  .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
  .replace('<meta charset="utf-8" />', () => `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <style>${style}</style>`);
const blocks = [data('worker.js', inScript(await workerText()))];
for (const [name, path] of [['minimind.wasm', dist], ...demo.map((name) => [name, `${root}web/models/demo/`])]) {
  blocks.push(data(name, (await readFile(path + name)).toString('base64')));
}
const html = head.replace('</body>', () => `${blocks.join('\n')}\n<script type="module">${script}</script>\n</body>`);
if (/(src|href)="\.?\/?assets/.test(html)) throw new Error('the single file still asks for a file beside it');
await writeFile(`${root}build/web/minimind-lab.html`, html);
console.log(`build/web/minimind-lab.html ${(html.length / 1e6).toFixed(1)} MB`);
