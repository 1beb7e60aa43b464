#!/usr/bin/env node
// The module beside wllama (llama.cpp as WebAssembly) in Chromium, in turn in one page, one thread each:
//
//     npm install --prefix /somewhere @wllama/wllama@2.4     (nothing of it is part of this project)
//     python3 tests/bench/make_gguf.py /somewhere/gguf
//     node tests/bench/wllama.mjs /somewhere/node_modules/@wllama/wllama /somewhere/gguf [size …]
//
// Needs the preset wasm built and npm ci in web/. Random weights of the usual sizes; 201 tokens at once, then greedy
// ones: few of the large size, since our steps are taken without the cache as well, which is not timed here. wllama
// decodes token by token as a page asks it to: sample, accept, decode, each a message to its worker; ours goes through
// its worker's steps. Medians over the rounds, tokens a second, and their ratio.
import { createReadStream, existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, serveTree } from '../wasm/support/browser.mjs';
import { bundleClient } from '../wasm/support/bundle.mjs';
import { madeUpCheckpoint, PROMPT } from '../wasm/support/made_up.mjs';
import { built } from '../wasm/support/paths.mjs';

const [wllama, gguf, ...named] = process.argv.slice(2);
if (!gguf) {
  console.error('usage: wllama.mjs FOLDER_OF_WLLAMA FOLDER_OF_GGUF [lab] [minimind-3]');
  process.exit(2);
}
const sizes = named.length > 0 ? named : ['lab', 'minimind-3'];
const ROUNDS = 3;
const STEPS = { lab: 64, 'minimind-3': 8 };

/** Runs in the page: rounds of both, [{ ours: { prefill, decode }, theirs: { … } }]. */
async function inPage([prompt, type, size, steps, rounds]) {
  const { startMiniMind } = await import('/build/wasm/test/client.js');
  const lab = await startMiniMind({
    worker: () => new Worker('/build/wasm/test/worker.js', { type: 'module' }),
    wasm: '/build/wasm/dist/minimind.wasm',
  });
  await lab.open({ pretrain: { url: '/build/wasm/test/timed.safetensors' }, tokenizer: { url: '/web/models/demo/tokenizer.json' }, own: true });
  const ours = async () => {
    const times = [];
    await lab.startDecode(prompt, steps);
    await lab.stepTo(undefined, { onStep: (step) => times.push(step.withCache.milliseconds) });
    const [prefill, ...alone] = times;
    return { prefill: 201e3 / prefill, decode: (1e3 * alone.length) / alone.reduce((sum, one) => sum + one, 0) };
  };

  const { Wllama } = await import('/other/esm/index.js');
  const other = new Wllama({ 'single-thread/wllama.wasm': '/other/esm/single-thread/wllama.wasm' }, { suppressNativeLog: true });
  const model = await (await fetch(`/gguf/${size}-${type}.gguf`)).blob();
  await other.loadModel([model], { n_ctx: 512, n_threads: 1 });
  const theirs = async () => {
    await other.kvClear();
    await other.samplingInit({ temp: 0 });
    const start = performance.now();
    await other.decode(prompt.ids, {});
    const between = performance.now();
    for (let i = 1; i < steps; ++i) {
      const { token } = await other.samplingSample();
      await other.samplingAccept([token]);
      await other.decode([token], {});
    }
    return { prefill: 201e3 / (between - start), decode: (1e3 * (steps - 1)) / (performance.now() - between) };
  };

  const all = [];
  for (let round = 0; round <= rounds; ++round) {
    const one = { ours: await ours(), theirs: await theirs() };
    if (round > 0) all.push(one); // engines compile hot code meanwhile
  }
  return all;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

await bundleClient();
const site = await serveTree((path, response) => {
  const file = path.startsWith('/other/') ? join(wllama, path.slice(7)) : path.startsWith('/gguf/') ? join(gguf, path.slice(6)) : '';
  if (!existsSync(file)) return false;
  const type = file.endsWith('.js') ? 'text/javascript' : file.endsWith('.wasm') ? 'application/wasm' : 'application/octet-stream';
  createReadStream(file).pipe(response.setHeader('content-type', type));
  return true;
});
const browser = await launch();
try {
  console.log('size        weights  what       ours    wllama  ratio');
  for (const size of sizes) {
    for (const type of ['f32', 'f16']) {
      await writeFile(`${built}timed.safetensors`, madeUpCheckpoint(size, type));
      const page = await browser.newPage();
      await page.goto(site.address);
      const rounds = await page.evaluate(inPage, [PROMPT, type, size, STEPS[size], ROUNDS]);
      await page.close();
      for (const what of ['prefill', 'decode']) {
        const [ours, theirs] = ['ours', 'theirs'].map((who) => median(rounds.map((round) => round[who][what])));
        const cells = [ours.toFixed(1), theirs.toFixed(1), (ours / theirs).toFixed(2)];
        console.log(size.padEnd(12) + type.padEnd(9) + what.padEnd(8) + cells.map((cell, i) => cell.padStart([7, 10, 7][i])).join(''));
      }
    }
  }
} finally {
  await browser.close();
  site.close();
  await rm(`${built}timed.safetensors`, { force: true });
}
