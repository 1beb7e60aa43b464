/** What holds for every section: accessibility, no cut text, no blocked input, the policy. */
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { atStep, browserTests, ready, singleFile, site } from './support';

const tests = browserTests();
const SECTIONS = ['predict', 'decode', 'cache', 'temperature', 'topp', 'timing', 'finish'];

describe('axe', () => {
  let axe = '';
  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  });

  for (const language of ['ko', 'zh', 'en']) {
    for (const theme of ['light', 'dark']) {
      it(`finds nothing: ${language}, ${theme}`, async () => {
        const page = await tests.open({ bypassCSP: true, hash: `decode?lang=${language}&theme=${theme}&prompt=lab&step=3` });
        await atStep(page, 3);
        await page.evaluate(() => document.querySelectorAll('main details').forEach((details) => ((details as HTMLDetailsElement).open = true)));
        await page.evaluate(axe);
        for (const section of ['header', ...SECTIONS.map((id) => `#${id}`)]) {
          const found = await page.evaluate(async (selector) => {
            const { violations } = await (window as unknown as { axe: { run: (s: string) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe.run(selector);
            return violations.map(({ id, nodes }) => `${selector} ${id}: ${nodes.map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary).slice(0, 3).join(' | ')}`);
          }, section);
          expect(found).toEqual([]);
        }
      });
    }
  }
});

describe('every width', () => {
  for (const width of [360, 768, 1024, 1440, 2560]) {
    it(`${width} px: nothing sticks out to the side, in three languages`, async () => {
      const page = await tests.open({ viewport: { width, height: 900 }, hash: 'decode?lang=ko&prompt=lab&step=3' });
      await atStep(page, 3);
      for (const language of ['ko', 'zh', 'en']) {
        await page.evaluate((code) => (location.hash = location.hash.replace(/lang=../, `lang=${code}`)), language);
        await page.waitForFunction((code) => document.documentElement.lang === code, language);
        await page.waitForTimeout(100);
        const out = await page.evaluate(() => {
          const wide = document.documentElement.scrollWidth > innerWidth ? [`page: ${document.documentElement.scrollWidth}`] : [];
          // Text of a button or label that is wider than its box would be cut.
          const cut = [...document.querySelectorAll<HTMLElement>('main button, main label, main legend, main dt, main .answer > *, header .tool')]
            .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && !element.matches('.fold, .visually-hidden'))
            .map((element) => `${element.className}: ${element.innerText.slice(0, 40)}`);
          return [...wide, ...cut];
        });
        expect(out, language).toEqual([]);
      }
    });
  }
});

describe('while it generates', () => {
  const STEPS = 24;

  // Processor time of the page's thread: other programs stretch the clock's time, not this.
  it('no task of the page takes over 50 ms, and memory does not run away', async () => {
    const page = await tests.open({ reducedMotion: 'no-preference', hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    await page.waitForTimeout(2000);
    await page.locator('.speed select').selectOption('4×');
    const heap = () => page.evaluate(() => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0);
    const before = await heap();
    const browser = page.context().browser();
    if (!browser) throw new Error('no browser');
    await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
    await page.getByRole('button', { name: '이어서 보기' }).click();
    await page.waitForFunction((steps) => Number(document.querySelector('#decode .count .now')?.textContent) >= steps, STEPS, { timeout: 120_000 });
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(thread));
    const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && main.has(thread(event))).map(({ tdur = 0 }) => tdur / 1000);
    const grown = (await heap()) - before;
    console.log(`longest of ${tasks.length} tasks ${Math.max(...tasks).toFixed(1)} ms, heap ${(grown / 1e6).toFixed(1)} MB more after ${STEPS} steps`);
    expect(tasks.length).toBeGreaterThan(STEPS);
    expect(Math.max(...tasks)).toBeGreaterThan(0.5);
    expect(tasks.filter((duration) => duration > 50)).toEqual([]);
    expect(grown).toBeLessThan(30e6);
  });
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of processor time. */
  tdur?: number;
  args: { name?: string };
}
const thread = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;

describe('the policy', () => {
  it('is strict in both outputs', async () => {
    for (const file of [`${site}/index.html`, singleFile]) {
      const policy = /Content-Security-Policy" content="([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1]?.replaceAll('&#39;', "'") ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:|\*/);
    }
  });

  it('lets no other script in', async () => {
    const page = await tests.open({ failing: true });
    await ready(page);
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.intruder = true';
      document.body.append(script);
      const fetched = await fetch('http://127.0.0.1:9/x').then(() => true, () => false);
      return [(window as unknown as { intruder?: boolean }).intruder === true, fetched];
    });
    expect(ran).toEqual([false, false]);
  });
});
