/**
 * How the page reaches its worker, module and demo files: as files of its own folder. In the single HTML file
 * packing.single.ts stands in for this one.
 */
import { openMiniMind, type Source } from '$client/client';
import wasm from '$dist/minimind.wasm?url';
import { takeWorker } from './early';

export type DemoFile = 'pretrain.pth' | 'sft.pth' | 'tokenizer.json' | 'pretrain_val.jsonl';

export const connect = () =>
  openMiniMind({ worker: takeWorker, wasm });

export const demoSource = (name: DemoFile): Source => ({ url: new URL(`models/demo/${name}`, document.baseURI).href });
