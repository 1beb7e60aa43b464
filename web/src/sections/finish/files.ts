/** The artifacts as files on the reader's disk: the core's texts, byte for byte. */
import type { Artifact } from '$client/api';
import { zip } from './zip';

export const bytesOf = (artifact: Artifact): Uint8Array<ArrayBuffer> => new TextEncoder().encode(artifact.text);

export function typeOf(name: string): string {
  if (name.endsWith('.json')) return 'application/json';
  return name.endsWith('.md') ? 'text/markdown;charset=utf-8' : 'text/x-python;charset=utf-8';
}

export const blobOf = (artifact: Artifact): Blob => new Blob([bytesOf(artifact)], { type: typeOf(artifact.name) });

/** All files in a folder named as the lab's. */
export const zipOf = (artifacts: readonly Artifact[]): Blob =>
  zip(artifacts.map((artifact) => ({ name: `infer/${artifact.name}`, bytes: bytesOf(artifact) })));

export function download(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers begin reading after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
