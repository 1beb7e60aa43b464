/** The artifacts as files on the reader's disk: the core's texts, byte for byte. */
import type { Artifact } from '$client/api';

export const bytesOf = (artifact: Artifact): Uint8Array<ArrayBuffer> => new TextEncoder().encode(artifact.text);

export function typeOf(name: string): string {
  if (name.endsWith('.json')) return 'application/json';
  return name.endsWith('.md') ? 'text/markdown;charset=utf-8' : 'text/x-python;charset=utf-8';
}

/** All files in a folder named as the lab's. Loaded when asked for: few readers need it. */
export async function zipOf(artifacts: readonly Artifact[]): Promise<Uint8Array<ArrayBuffer>> {
  const { zipSync } = await import('fflate');
  // One date for all, the first a zip can hold: the same texts make the same zip.
  const mtime = new Date(1980, 0, 1);
  const folder = Object.fromEntries(artifacts.map((artifact) => [artifact.name, [bytesOf(artifact), { mtime }] as [Uint8Array, { mtime: Date }]]));
  return new Uint8Array(zipSync({ infer: folder }));
}

export function download(name: string, type: string, bytes: Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers begin reading after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
