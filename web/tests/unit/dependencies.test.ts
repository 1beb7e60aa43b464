/** What the page is made of: exact versions, locked by content and without an address, and all written down. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  hasInstallScript?: boolean;
}
const wanted = (JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }).devDependencies;
const locked = Object.entries((JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages).filter(([path]) => path !== '');

it('every package is locked to one content, wherever it is brought from', () => {
  expect(locked.length).toBeGreaterThan(50);
  for (const [path, found] of locked) {
    expect(found.integrity, path).toMatch(/^sha512-/);
    expect(found.resolved, path).toBeUndefined();
    expect(found.license, path).toBeTruthy();
  }
});

it('what is asked for is one version each, the locked one, and named in DEPENDENCIES.md', () => {
  const named = read('../native/DEPENDENCIES.md');
  for (const [name, version] of Object.entries(wanted)) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    expect(locked.find(([path]) => path === `node_modules/${name}`)?.[1].version, name).toBe(version);
    const row = named.split('\n').find((line) => line.includes(`\`${name}\``));
    expect(row, name).toContain(version);
  }
});
