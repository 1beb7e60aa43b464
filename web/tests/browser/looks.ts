/** What must hold of a page however it is filled: axe finds nothing, no text is cut, nothing sticks out to the side. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { LANGUAGES, show } from './support';

interface Violation {
  id: string;
  nodes: { target: string[]; html: string; failureSummary: string }[];
}
type WithAxe = typeof globalThis & { axe: { run: () => Promise<{ violations: Violation[]; passes: { id: string }[] }> } };

/** What axe-core finds in the whole document, one finding a line. Throws when it did not look at contrast: then it looked at nothing. */
async function axe(page: Page): Promise<string[]> {
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

/** axe in these languages and both themes. The page must have been opened with `bypassCSP`. */
export async function violations(page: Page, languages: readonly string[] = LANGUAGES): Promise<string[]> {
  const found: string[] = [];
  for (const lang of languages) {
    for (const theme of ['light', 'dark']) {
      await show(page, { lang, theme });
      found.push(...(await axe(page)).map((line) => `${lang}, ${theme}: ${line}`));
    }
  }
  return found;
}

/** Texts that are wider than their box, texts of a chart outside it, and a page wider than the window. */
export async function cutTexts(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of [320, 360, 768, 1024, 1440, 2560, 3840]) {
    await page.setViewportSize({ width, height: 900 });
    for (const lang of LANGUAGES) {
      await show(page, { lang });
      const out = await page.evaluate(() => {
        const wide = document.documentElement.scrollWidth > innerWidth ? [`page: ${document.documentElement.scrollWidth}`] : [];
        const visible = (element: Element) => element.getClientRects().length > 0 && !element.closest('.visually-hidden');
        const cut = [...document.querySelectorAll<HTMLElement>('main *, header .tool')]
          .filter((element) => element instanceof HTMLElement && visible(element) && element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1)
          // The phone's row of buttons reaches to the edges of the screen, out of everything that holds it.
          .filter((element) => {
            if (element.querySelector('.controls')) return false;
            const { overflowX, textOverflow, display } = getComputedStyle(element);
            // What scrolls is a frame that a keyboard reaches; what ends in "…" says so, and is there in full elsewhere.
            return overflowX !== 'auto' && textOverflow !== 'ellipsis' && display !== 'inline';
          })
          .map((element) => `${element.tagName}.${element.className}: ${element.innerText?.slice(0, 40)}`);
        const outside = [...document.querySelectorAll<SVGTextElement>('main svg text')]
          .filter((text) => {
            const box = text.getBoundingClientRect();
            const frame = text.ownerSVGElement?.getBoundingClientRect();
            return frame && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1);
          })
          .map((text) => `svg: ${text.textContent}`);
        return [...wide, ...cut, ...outside];
      });
      found.push(...out.map((line) => `${width} px, ${lang}: ${line}`));
    }
  }
  return found;
}
