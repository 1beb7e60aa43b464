// The engine in Node, without a worker: the same code the worker runs, on the same .wasm.
import { readFileSync } from 'node:fs';
import { built, demo, dist, root } from './paths.mjs';

const { Engine, Module } = await import(`${built}engine.js`);
const { default: createModule } = await import(`${dist}minimind.js`);
const wasm = readFileSync(`${dist}minimind.wasm`);

export const file = (path) => ({ data: readFileSync(path), name: path.split('/').pop() });
export const bytes = (text, name = 'file') => ({ data: new TextEncoder().encode(text), name });
export const golden = JSON.parse(readFileSync(`${root}tests/golden/demo/demo.json`, 'utf8'));

/** What a call gets beside its arguments; records what it was told. */
export function run(signal = new AbortController().signal) {
  const told = { progress: [], steps: [] };
  return { told, signal, onProgress: (one) => told.progress.push(one), onStep: (one) => told.steps.push(one) };
}

export const newEngine = async () => new Engine(await Module.create(createModule, wasm));

/** The demo's files as a request, some of them replaced; without those that are undefined. */
export const demoRequest = (parts = {}) => ({
  pretrain: file(`${demo}pretrain.pth`), sft: file(`${demo}sft.pth`), tokenizer: file(`${demo}tokenizer.json`),
  documents: file(`${demo}pretrain_val.jsonl`), own: false, ...parts,
});

export async function demoEngine() {
  const engine = await newEngine();
  await engine.open(demoRequest(), run());
  return engine;
}

/** The error a call fails with, as [kind, message, file]. */
export async function refusal(call) {
  try {
    await call();
  } catch (error) {
    return [error.kind, error.message, error.file];
  }
  throw new Error('nothing was refused');
}
