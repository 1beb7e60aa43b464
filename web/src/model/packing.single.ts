/**
 * The same for one HTML file opened by a double click: worker, module and demo stand inside it as data blocks that
 * scripts/single-file.mjs writes. Nothing is fetched; a classic worker from a Blob is what file:// allows.
 */
import { openMiniMind, type Source } from '$client/client';
import type { DemoFile } from './packing';

const block = (id: string): string => document.getElementById(id)?.textContent ?? '';

/** Newer browsers decode base64 themselves. */
function bytesOf(id: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, block(id));
  const binary = atob(block(id));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export const connect = () =>
  openMiniMind({
    worker: () => new Worker(URL.createObjectURL(new Blob([block('worker.js')], { type: 'text/javascript' }))),
    wasm: bytesOf('minimind.wasm'),
  });

export const demoSource = (name: DemoFile): Source => ({ data: bytesOf(name), name });
