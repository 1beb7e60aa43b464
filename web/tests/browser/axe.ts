/** axe-core on a page as it stands: one finding a line. The page must have been opened with `bypassCSP`. */
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  nodes: { target: string[]; html: string; failureSummary: string }[];
}
type WithAxe = typeof globalThis & { axe: { run: () => Promise<{ violations: Violation[]; passes: { id: string }[] }> } };

/** What axe finds in the whole document. Throws when it did not look at contrast: then it looked at nothing. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  }
  const { found, looked } = await page.evaluate(async () => {
    const { violations, passes } = await (globalThis as WithAxe).axe.run();
    const line = (id: string, node: Violation['nodes'][number]) => `${id}: ${node.target.join(' ')} ${node.html.slice(0, 160)} ${node.failureSummary}`;
    return { found: violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map((node) => line(id, node))), looked: passes.map(({ id }) => id) };
  });
  if (!looked.includes('color-contrast') && !found.some((line) => line.startsWith('color-contrast'))) throw new Error('axe did not look');
  return found;
}
