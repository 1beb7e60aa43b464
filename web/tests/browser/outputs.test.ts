/** What is published says nothing of the machine that built it: or two machines would never build the same. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, singleFile, site } from './support';

it('no file names a path of this machine', async () => {
  const entries = await readdir(site, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(10);
  // The module stands in the single file as base64; in the folder it is as it is.
  for (const file of [...files, singleFile]) {
    const bytes = await readFile(file);
    for (const path of [root, '/node_modules/', '/usr/include/']) expect(bytes.includes(path), `${file}: ${path}`).toBe(false);
  }
});
