/** How quick the page is. Runs alone: the other tests would be measured with it. */
import { describe, expect, it } from 'vitest';
import { browserTests, ready } from './support';

const tests = browserTests();

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
