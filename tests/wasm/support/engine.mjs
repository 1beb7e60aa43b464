// The engine in Node, without a worker: the same code the worker runs, on the same .wasm.
import { readFileSync } from 'node:fs';
import { built, demo, dist, root } from './paths.mjs';

const { Engine, Later, Module } = await import(`${built}engine.js`);
const { default: createModule } = await import(`${dist}minimind.js`);
const [wasm, later] = ['minimind.wasm', 'minimind.later.wasm'].map((name) => readFileSync(dist + name));

export const file = (path) => ({ data: readFileSync(path), name: path.split('/').pop() });
export const bytes = (text, name = 'file') => ({ data: new TextEncoder().encode(text), name });
export const golden = JSON.parse(readFileSync(`${root}tests/golden/demo/demo.json`, 'utf8'));

/** What a call gets beside its arguments; records what it was told. */
export function run(signal = new AbortController().signal) {
  const told = { progress: [], steps: [] };
  return { told, signal, onProgress: (one) => told.progress.push(one), onStep: (one) => told.steps.push(one) };
}

export const newEngine = async (second = new Later(later)) => new Engine(await Module.create(createModule, wasm, second));
export { Later, later };

export const loadDemo = (engine, role) =>
  engine.load({ role, checkpoint: file(`${demo}${role}.pth`), tokenizer: file(`${demo}tokenizer.json`) }, run());

export async function demoEngine() {
  const engine = await newEngine();
  await loadDemo(engine, 'pretrain');
  await loadDemo(engine, 'sft');
  await engine.loadDocuments(file(`${demo}pretrain_val.jsonl`), run());
  return engine;
}

/** The error a call fails with, as [kind, message]. */
export async function refusal(call) {
  try {
    await call();
  } catch (error) {
    return [error.kind, error.message];
  }
  throw new Error('nothing was refused');
}
