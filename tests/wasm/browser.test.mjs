// The client in headless Chromium: worker and page apart, on a static server and from one file:// page.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, serveTree } from './support/browser.mjs';
import { bundleClient } from './support/bundle.mjs';
import { built, demo, dist, root } from './support/paths.mjs';

const golden = JSON.parse(await readFile(`${root}tests/golden/demo/demo.json`, 'utf8'));
let site;
let browser;
let page;
/** What the server does to a request, set by a test. */
let trouble = () => false;

before(async () => {
  await bundleClient();
  site = await serveTree((path, response) => trouble(path, response));
  browser = await launch();
  page = await browser.newPage();
  await page.goto(site.address);
  await page.evaluate(async () => {
    const { startMiniMind } = await import('/build/wasm/test/client.js');
    window.start = (worker = '/build/wasm/test/worker.js', wasm = '/build/wasm/dist/minimind.wasm') =>
      startMiniMind({ worker: () => new Worker(worker, { type: 'module' }), wasm });
    const demo = (name) => ({ url: `/web/models/demo/${name}` });
    window.sft = demo('sft.pth');
    window.demo = (parts) => ({
      pretrain: demo('pretrain.pth'), sft: 'later', tokenizer: demo('tokenizer.json'), documents: demo('pretrain_val.jsonl'), own: false, ...parts,
    });
    window.refusal = (promise) => promise.then(() => 'nothing was refused', (error) => [error.name, error.kind, error.message]);
    window.lab = await window.start();
    await window.lab.open(window.demo({ sft: window.sft }));
  });
});

after(async () => {
  await browser?.close();
  site?.close();
});

test('the demo\'s goldens', async () => {
  const seen = await page.evaluate(async () => {
    const start = await window.lab.startDecode({ kind: 'lab' }, 64);
    const steps = [];
    await window.lab.stepTo(undefined, { onStep: (step) => steps.push(step) });
    const answers = {};
    for (const t of ['0.3', '1.0', '1.5']) answers[t] = (await window.lab.answers({ temperature: Number(t) })).distinct;
    const survivors = {};
    for (const p of ['0.5', '0.9', '0.99']) {
      const view = await window.lab.distribution({ prompt: { kind: 'text', text: '민수는' } }, { temperature: 1, topK: 0, topP: Number(p) });
      survivors[p] = view.kept;
    }
    return {
      prompt: start.prompt.map((token) => token.id), ids: steps.map((step) => step.token.id),
      same: steps.every((step) => step.sameToken && step.largestDifference === 0),
      fed: [steps.at(-1).withCache.fedTotal, steps.at(-1).withoutCache.fedTotal], answers, survivors,
    };
  });
  assert.deepEqual(seen.prompt, golden.same.prompt);
  assert.deepEqual(seen.ids, golden.same.ids);
  assert.ok(seen.same);
  assert.deepEqual(seen.fed, [golden.count.fed_with_cache, golden.count.fed_without_cache]);
  for (const [t, row] of Object.entries(golden.temp)) assert.equal(seen.answers[t], row.distinct);
  assert.deepEqual(seen.survivors, golden.topp[0].survivors);
});

test('the first token comes within 300 ms of starting', async () => {
  const best = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 5; ++i) {
      const begun = performance.now();
      const lab = await window.start();
      await lab.open(window.demo());
      await lab.startDecode({ kind: 'text', text: '민수는' }, 4);
      await lab.step();
      times.push(performance.now() - begun);
      lab.close();
    }
    return Math.min(...times);
  });
  assert.ok(best < 300, `${best.toFixed(0)} ms`);
});

test('a question is answered in a pause of a long call, and sees what was asked for before it', async () => {
  const { order, before, after, ended } = await page.evaluate(async () => {
    const order = [];
    const note = (name) => (value) => (order.push(name), value);
    const ask = (prompt) => window.lab.distribution({ prompt }, { temperature: 1, topK: 0, topP: 0.9 });
    const prompt = { kind: 'text', text: '민수는' };
    const before = (await ask(prompt)).kept;
    const work = window.refusal(window.lab.time()).then(note('time'));
    const asked = ask(prompt).then(note('question'));
    const queued = window.refusal(window.lab.answers({ temperature: 1 })).then(note('queued'));
    // Opens beside the long call and ends it; everything after it is asked of the new model.
    const open = window.lab.open(window.demo({ sft: window.sft })).then(note('open'));
    const scene = window.lab.startDecode(prompt, 4).then(note('scene'));
    // A question about a scene that is still to be made waits for it.
    const first = window.lab.distribution({ step: 0 }, { temperature: 1, topK: 0, topP: 0.9 }).then(note('first'));
    const ended = [await work, await queued];
    await Promise.all([open, scene, first]);
    return { order, before, after: (await asked).kept, ended: ended.map(([, kind]) => kind) };
  });
  assert.equal(order[0], 'question');
  assert.ok(order.indexOf('open') < order.indexOf('scene') && order.indexOf('scene') < order.indexOf('first'), order.join(' '));
  assert.deepEqual(ended, ['cancelled', 'cancelled']);
  assert.equal(after, before);
});

test('a model that does not open ends nothing', async () => {
  const { refused, distinct, own } = await page.evaluate(async () => {
    const work = window.lab.answers({ temperature: 0.3 });
    const refused = await window.refusal(window.lab.open(window.demo({ own: true, documents: { data: new Uint8Array([123]), name: 'val.jsonl' } })));
    return { refused, distinct: (await work).distinct, own: (await window.lab.opened()).own };
  });
  assert.match(refused[2], /^val\.jsonl: line 1/);
  assert.equal(distinct, golden.temp['0.3'].distinct);
  assert.equal(own, false);
});

test('the scene goes on in the pauses of a long call, and neither changes the other', async () => {
  const { order, ids, lab, kept, cancelled } = await page.evaluate(async () => {
    const order = [];
    const note = (name) => (value) => (order.push(name), value);
    const time = '{"with_cache_s": 0.05, "without_cache_s": 1.0, "speedup": 20.0}\n';
    const work = window.lab.lab({ time }).then(note('lab'));
    // The module has one long task: this waits, and can be taken back.
    const queued = new AbortController();
    const second = window.refusal(window.lab.answers({ temperature: 1 }, { signal: queued.signal }));
    const ids = [];
    await window.lab.startDecode({ kind: 'lab' }, 64).then(note('scene'));
    await window.lab.stepTo(3, { onStep: ({ token }) => ids.push(token.id) }).then(note('steps'));
    const asked = await window.lab.distribution({ step: 3 }, { temperature: 1, topK: 0, topP: 0.9 }).then(note('question'));
    queued.abort();
    const lab = (await work).same.ids;
    return { cancelled: (await second)[1], lab, order, ids, kept: asked.kept };
  });
  assert.deepEqual(order, ['scene', 'steps', 'question', 'lab']);
  assert.deepEqual(ids, golden.same.ids.slice(0, 3));
  assert.deepEqual(lab, golden.same.ids);
  assert.equal(cancelled, 'cancelled');
  assert.ok(kept > 0);
});

test('the page answers while the worker works, and a cancel stops it', async () => {
  const { longest, refused, waiting, next } = await page.evaluate(async () => {
    const abort = new AbortController();
    const queued = new AbortController();
    const work = window.refusal(window.lab.lab({}, { signal: abort.signal }));
    const second = window.refusal(window.lab.time({ kind: 'lab' }, { signal: queued.signal }));
    queued.abort();
    const waiting = await second;
    let longest = 0;
    for (let i = 0, last = performance.now(); i < 30; ++i) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    abort.abort();
    const refused = await work;
    const next = (await window.lab.tokens({ kind: 'text', text: '민수는' })).length;
    return { longest, refused, waiting, next };
  });
  assert.deepEqual(refused, ['MiniMindError', 'cancelled', 'stopped on request']);
  assert.deepEqual(waiting, ['MiniMindError', 'cancelled', 'stopped on request']);
  assert.equal(next, 2);
  assert.ok(longest < 200, `the page waited ${longest.toFixed(0)} ms`);
});

test('a broken download says so, and trying again helps', async () => {
  for (const [name, answer] of Object.entries({
    missing: (response) => response.writeHead(404).end(),
    cut: (response) => {
      response.setHeader('content-length', '2247179');
      response.write('PK');
      setTimeout(() => response.destroy(), 20);
    },
  })) {
    trouble = (path, response) => path.endsWith('pretrain.pth') && (answer(response), true);
    const refused = await page.evaluate(() => window.refusal(window.lab.open(window.demo())));
    assert.equal(refused[1], 'download', name);
    assert.match(refused[2], /^pretrain\.pth did not arrive/);
    trouble = () => false;
    assert.equal(await page.evaluate(async () => (await window.lab.open(window.demo())).pretrain.parameters), 1116544);
  }
  const short = await page.evaluate(() => {
    const { pretrain } = window.demo();
    return window.refusal(window.lab.open(window.demo({ pretrain: { ...pretrain, bytes: 3000000 } })));
  });
  assert.match(short[2], /2247179 of 3000000 bytes arrived/);
});

test('progress is that of all files together, never falls, and ends with the model', async () => {
  const told = await page.evaluate(async () => {
    const told = [];
    await window.lab.open(window.demo(), { onProgress: (progress) => told.push(progress) });
    return told;
  });
  const sizes = await Promise.all(['pretrain.pth', 'tokenizer.json', 'pretrain_val.jsonl'].map(async (name) => (await readFile(demo + name)).length));
  const total = sizes.reduce((a, b) => a + b);
  const bytes = told.filter((one) => one.step === 'download').map((one) => one.bytes);
  assert.ok(bytes.every((one) => one.total === total), JSON.stringify(bytes.at(-1)));
  assert.equal(bytes.at(-1).done, bytes.at(-1).total);
  const fractions = told.map((one) => one.fraction);
  assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
  assert.ok(fractions.slice(0, -1).every((fraction) => fraction < 1));
  assert.deepEqual(told.at(-1), { step: 'load', fraction: 1 });
});

test('whoever waits for a worker that is closed before it has started is told', async () => {
  const refused = await page.evaluate(async () => {
    const { openMiniMind } = await import('/build/wasm/test/client.js');
    const { client, started } = openMiniMind({ worker: () => new Worker('/build/wasm/test/worker.js', { type: 'module' }), wasm: '/build/wasm/dist/minimind.wasm' });
    const call = window.refusal(client.tokens({ kind: 'lab' }));
    client.close();
    return Promise.all([window.refusal(started), call]);
  });
  assert.deepEqual(refused, Array(2).fill(['MiniMindError', 'worker', 'the worker was closed']));
});

test('what is missing is named: module, worker, WebAssembly, SIMD', async () => {
  const seen = await page.evaluate(async () => {
    const { start, refusal } = window;
    const out = {
      module: await refusal(start(undefined, '/nowhere.wasm')),
      worker: await refusal(start('/nowhere.js')),
      broken: await refusal(start(undefined, '/web/models/demo/pretrain.pth')),
    };
    const real = WebAssembly.validate;
    WebAssembly.validate = () => false;
    out.simd = await refusal(start());
    WebAssembly.validate = real;
    return out;
  });
  assert.equal(seen.module[1], 'download');
  assert.equal(seen.worker[1], 'worker');
  assert.equal(seen.broken[1], 'environment');
  assert.deepEqual(seen.simd.slice(1), ['environment', 'this browser has no WebAssembly SIMD']);
});

test('a worker that dies takes its calls along as errors; a restart helps', async () => {
  const seen = await page.evaluate(async () => {
    const { startMiniMind } = await import('/build/wasm/test/client.js');
    let next = '/tests/wasm/support/dying_worker.js';
    const lab = await startMiniMind({ worker: () => new Worker(next, { type: 'module' }), wasm: '/build/wasm/dist/minimind.wasm' });
    const calls = [lab.open(window.demo()), lab.tokens({ kind: 'lab' })].map(window.refusal);
    const dead = [...(await Promise.all(calls)), await window.refusal(lab.step())];
    next = '/build/wasm/test/worker.js';
    await lab.restart();
    const { pretrain: info } = await lab.open(window.demo());
    lab.close();
    return { dead, parameters: info.parameters, closed: await window.refusal(lab.step()) };
  });
  for (const refused of seen.dead) assert.equal(refused[1], 'worker');
  assert.equal(seen.parameters, 1116544);
  assert.deepEqual(seen.closed.slice(1), ['worker', 'the worker was closed']);
});

test('one file:// page with everything inside', async () => {
  const base64 = async (path) => JSON.stringify((await readFile(path)).toString('base64'));
  const script = (text) => text.replaceAll('</script', '<\\/script');
  const client = (await readFile(`${built}client.js`, 'utf8')).replace(/export\s*\{[^}]*\};?/, '');
  const path = `${built}one.html`;
  await writeFile(path, `<!doctype html><meta charset="utf-8"><title>one</title>
<script type="text/plain" id="worker">${script(await readFile(`${built}worker.classic.js`, 'utf8'))}</script>
<script type="module">
${script(client)}
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const url = URL.createObjectURL(new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' }));
const lab = await startMiniMind({ worker: () => new Worker(url), wasm: bytes(${await base64(`${dist}minimind.wasm`)}) });
await lab.open({
  own: true,
  pretrain: { data: bytes(${await base64(`${demo}pretrain.pth`)}), name: 'pretrain.pth' },
  tokenizer: { data: bytes(${await base64(`${demo}tokenizer.json`)}), name: 'tokenizer.json' },
});
await lab.startDecode({ kind: 'ids', ids: ${JSON.stringify(golden.same.prompt)} }, 3);
window.ids = [];
await lab.stepTo(3, { onStep: (step) => window.ids.push(step.token.id) });
window.done = true;
</script>`);
  const alone = await browser.newPage();
  try {
    await alone.goto(pathToFileURL(path).href);
    await alone.waitForFunction(() => window.done, null, { timeout: 60000 });
    assert.deepEqual(await alone.evaluate(() => window.ids), golden.same.ids.slice(0, 3));
  } finally {
    await alone.close();
    await rm(path);
  }
});
