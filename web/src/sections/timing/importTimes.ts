/** Reads a bench.json or time.json the reader gave; the core checks it. @throws its error */
import { lab } from '../../state/lab.svelte';
import { results } from '../../state/results.svelte';

/** A file larger than this holds no timings. */
const LARGEST = 4 << 20;

export async function importTimes(file: File): Promise<void> {
  const { client } = lab;
  if (!client) return;
  if (file.size > LARGEST) throw new Error(`${file.name}: ${file.size} bytes`);
  const imported = await client.importTimings({ file, name: file.name });
  results.timeText = imported.kind === 'time' ? await file.text() : null;
  results.imported = imported;
}
