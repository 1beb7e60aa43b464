// Native against WebAssembly, in Node and in Chromium, one thread each, in one table:
//
//     node wasm/timing.mjs            (needs the presets native and wasm built, and npm ci in web/)
//
// Made-up float16 weights of the two usual sizes; 201 tokens at once (prefill), then one by one (decode); step 3
// of the lab is the 64 greedy tokens with and without the cache.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { launch, serveTree } from '../tests/wasm/support/browser.mjs';
import { bundleClient } from '../tests/wasm/support/bundle.mjs';
import { madeUpCheckpoint, PROMPT } from '../tests/wasm/support/made_up.mjs';
import { built, demo, root } from '../tests/wasm/support/paths.mjs';

const sizes = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['lab', 'minimind-3'];
const STEPS = { lab: 64, 'minimind-3': 6 };

/** From a scene's steps: tokens a second at once and one by one. */
function rates(steps) {
  const alone = steps.slice(1).map((step) => step.withCache.milliseconds).sort((a, b) => a - b);
  return { prefill: 201e3 / steps[0].withCache.milliseconds, decode: 1e3 / alone[Math.floor(alone.length / 2)] };
}

function native(size) {
  const text = execFileSync(`${root}build/native/mm-native`, ['bench', '--json', '--sizes', size, '--threads', '1']);
  const { results } = JSON.parse(text);
  const of = (what) => results.find((one) => one.what.startsWith(what) && one.what.includes('float16'))?.median;
  return {
    prefill: of('prefill 201'), decode: of('decode after 201'),
    with: of('step 3 with cache'), without: of('step 3 without cache'),
  };
}

async function inNode(size, checkpoint) {
  const { newEngine, file, run } = await import('../tests/wasm/support/engine.mjs');
  const engine = await newEngine();
  await engine.open({ pretrain: { data: checkpoint, name: 'x' }, tokenizer: file(`${demo}tokenizer.json`), own: true }, run());
  const scene = async () => {
    engine.startDecode(PROMPT, STEPS[size]);
    const seen = run();
    await engine.stepTo(undefined, seen);
    return rates(seen.told.steps);
  };
  await scene(); // the engine compiles hot code meanwhile
  const timed = { ...(await scene()) };
  if (size !== 'lab') return timed;
  const step3 = await engine.time(PROMPT, run());
  return { ...timed, with: step3.withCacheSeconds, without: step3.withoutCacheSeconds };
}

async function inChromium(size, checkpoint) {
  await writeFile(`${built}timed.safetensors`, checkpoint);
  const site = await serveTree();
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(site.address);
    const [steps, step3] = await page.evaluate(async ([prompt, count, whole]) => {
      const { startMiniMind } = await import('/build/wasm/test/client.js');
      const lab = await startMiniMind({
        worker: () => new Worker('/build/wasm/test/worker.js', { type: 'module' }),
        wasm: '/build/wasm/dist/minimind.wasm',
      });
      await lab.open({ pretrain: { url: '/build/wasm/test/timed.safetensors' }, tokenizer: { url: '/web/models/demo/tokenizer.json' }, own: true });
      let steps = [];
      for (let i = 0; i < 2; ++i) {
        steps = [];
        await lab.startDecode(prompt, count);
        await lab.stepTo(undefined, { onStep: (step) => steps.push(step) });
      }
      return [steps, whole ? await lab.time(prompt) : null];
    }, [PROMPT, STEPS[size], size === 'lab']);
    return { ...rates(steps), with: step3?.withCacheSeconds, without: step3?.withoutCacheSeconds };
  } finally {
    await browser.close();
    site.close();
    await rm(`${built}timed.safetensors`);
  }
}

await bundleClient();
const lines = [['size', 'what', 'unit', 'native', 'Node', '÷ native', 'Chromium', '÷ native']];
for (const size of sizes) {
  const checkpoint = madeUpCheckpoint(size);
  const all = [native(size), await inNode(size, checkpoint), await inChromium(size, checkpoint)];
  for (const [what, unit] of [['prefill', 'tokens/s'], ['decode', 'tokens/s'], ['with', 's'], ['without', 's']]) {
    const [n, node, chromium] = all.map((one) => one[what]);
    if (node === undefined) continue;
    const share = (value) => (unit === 's' ? n / value : value / n).toFixed(2);
    const shown = (value) => value.toPrecision(3);
    const name = { with: 'step 3 with cache', without: 'step 3 without cache' }[what] ?? what;
    lines.push([size, name, unit, shown(n), shown(node), share(node), shown(chromium), share(chromium)]);
  }
}
const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
for (const line of lines) console.log(line.map((cell, i) => (i < 3 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
