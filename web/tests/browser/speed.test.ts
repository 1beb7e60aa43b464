/** How quick the page is. Runs alone: the other tests would be measured with it. */
import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { browserTests, ready } from './support';

const tests = browserTests();

/** How many times longer work takes here than on a core of its own, because other programs want it too: 1 when none do. */
function crowd(): number {
  const began = performance.now();
  const before = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (used() < 150);
  return Math.max(1, (performance.now() - began) / used());
}

/** What the reader waits for, in milliseconds since the address was opened; and what moved under the eyes. */
interface Opening {
  firstStep: number;
  largestPaint: number;
  shift: number;
}

/** Opens the page as at a first visit and presses "step" as soon as that is possible. */
async function opening(): Promise<Opening> {
  const context = await tests.newContext({ reducedMotion: 'no-preference' });
  await context.addInitScript(() => {
    const seen = { paint: 0, shift: 0, step: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (seen.paint = entry.startTime))).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[]) if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    const look = () => {
      if (document.querySelector('#decode .count .now')?.textContent === '1') seen.step = performance.now();
      else {
        document.querySelector<HTMLElement>('.controls .primary:not(:disabled)')?.click();
        requestAnimationFrame(look);
      }
    };
    requestAnimationFrame(look);
  });
  const page = await tests.open({ context, hash: 'decode?lang=ko' });
  await page.waitForFunction(() => (globalThis as unknown as { seen: { step: number } }).seen.step > 0);
  // The sections further down arrive, too, and must not push anything.
  await page.locator('#finish h2').waitFor();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  const { paint, shift, step } = await page.evaluate(() => (globalThis as unknown as { seen: { paint: number; shift: number; step: number } }).seen);
  await context.close();
  return { firstStep: step, largestPaint: paint, shift };
}

describe('opening', () => {
  it('shows the first step at once, paints within 2.5 s, and nothing jumps', async () => {
    const openings: Opening[] = [];
    const crowds = [crowd()];
    for (let count = 0; count < 8; count += 1) {
      openings.push(await opening());
      crowds.push(crowd());
    }
    // The best of eight, and no more excuse than the least crowded moment gives.
    const excuse = Math.min(...crowds);
    const best = (of: keyof Opening) => Math.min(...openings.map((one) => one[of])) / excuse;
    console.log(openings.map((one) => `first step ${one.firstStep.toFixed(0)} ms, largest paint ${one.largestPaint.toFixed(0)} ms, shift ${one.shift.toFixed(3)}`).join('\n'));
    console.log(`other programs made it ${crowds.map((one) => one.toFixed(1)).join(', ')} times slower`);
    expect(best('firstStep')).toBeLessThan(1000);
    expect(best('largestPaint')).toBeGreaterThan(0);
    expect(best('largestPaint')).toBeLessThan(2500);
    // Shifts do not depend on how busy the machine is: none of the openings may have them.
    expect(Math.max(...openings.map((one) => one.shift))).toBeLessThan(0.1);
  });
});

describe('while times are measured', () => {
  /** Milliseconds from moving the slider to seeing its answer. */
  const answered = (page: Page, temperature: number) =>
    page.evaluate(async (wanted) => {
      const slider = document.querySelector<HTMLInputElement>('#temperature input[type=range]');
      if (!slider) throw new Error('no slider');
      const began = performance.now();
      slider.value = String(wanted);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      const shown = () => document.querySelector('#temperature thead')?.textContent?.includes(`T = ${wanted}`) && !document.querySelector('#temperature .columns[aria-busy=true]');
      while (!shown()) await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - began;
    }, temperature);

  it('a slider is answered within 200 ms', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await ready(page);
    await page.locator('#temperature .columns[aria-busy=false]').first().waitFor();
    await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
    const progress = page.getByRole('progressbar', { name: '데우고 세 번씩 재는 중' });
    await progress.waitFor();
    const times: number[] = [];
    for (const temperature of [0.5, 1.6, 0.7]) times.push(await answered(page, temperature));
    expect(await progress.count(), 'times are still being measured').toBe(1);
    console.log(`answers after ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(200);
    await page.locator('#timing').getByRole('button', { name: '멈추기' }).click();
    await progress.waitFor({ state: 'detached' });
  });
});

/** Processor time of the page's thread while something is done, in ms a task: other programs stretch the clock's time, not this. */
async function tasksWhile(page: Page, done: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('no browser');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await done();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(thread));
  return traceEvents.filter((event) => event.name.endsWith('RunTask') && main.has(thread(event))).map(({ tdur = 0 }) => tdur / 1000);
}

describe('opening Why', () => {
  async function openWhy(scene: string): Promise<number[]> {
    const page = await tests.open({ hash: `decode?lang=ko&${scene}` });
    await ready(page);
    await page.waitForTimeout(1000);
    const tasks = await tasksWhile(page, async () => {
      await page.locator('header nav a', { hasText: '왜' }).first().click();
      await page.locator('#why svg[role=img]').first().waitFor();
      await page.locator('#why .count').waitFor();
      await page.locator('#why [data-experiment]').first().waitFor();
      await page.waitForTimeout(500);
    });
    await page.context().close();
    console.log(`${scene}: longest of ${tasks.length} tasks ${Math.max(...tasks).toFixed(1)} ms`);
    return tasks;
  }
  it.each(['step=24', 'prompt=lab&step=3'])('takes no long task: %s', async (scene) => {
    // As below: what is the page's own doing is long each time.
    let tasks = await openWhy(scene);
    for (let again = 0; again < 4 && Math.max(...tasks) >= 50; again += 1) tasks = await openWhy(scene);
    expect(Math.max(...tasks)).toBeGreaterThan(0.5);
    expect(tasks.filter((duration) => duration >= 50)).toEqual([]);
  });
});

describe('while it generates', () => {
  const STEPS = 24;

  /** Time a task takes, and bytes kept. */
  async function generate(): Promise<{ tasks: number[]; grown: number }> {
    const page = await tests.open({ reducedMotion: 'no-preference', hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    await page.waitForTimeout(2000);
    await page.locator('.speed select').selectOption('4×');
    const heap = () => page.evaluate(() => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0);
    const before = await heap();
    const tasks = await tasksWhile(page, async () => {
      await page.getByRole('button', { name: '이어서 보기' }).click();
      await page.waitForFunction((steps) => Number(document.querySelector('#decode .count .now')?.textContent) >= steps, STEPS, { timeout: 120_000 });
    });
    const grown = (await heap()) - before;
    await page.context().close();
    console.log(`longest of ${tasks.length} tasks ${Math.max(...tasks).toFixed(1)} ms, heap ${(grown / 1e6).toFixed(1)} MB more after ${STEPS} steps`);
    return { tasks, grown };
  }

  it('no task of the page is long, and memory does not run away', async () => {
    // A task that is the page's own doing is long each time; what the browser's collector does by chance is not.
    let { tasks, grown } = await generate();
    for (let again = 0; again < 4 && Math.max(...tasks) >= 50; again += 1) ({ tasks, grown } = await generate());
    expect(tasks.length).toBeGreaterThan(STEPS);
    expect(Math.max(...tasks)).toBeGreaterThan(0.5);
    expect(tasks.filter((duration) => duration >= 50)).toEqual([]);
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
