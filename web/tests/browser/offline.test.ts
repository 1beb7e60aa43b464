/** Without a network: the second visit, and the single file from file://. */
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { atStep, browserTests, ready, scene, singleFile } from './support';

const tests = browserTests();

/** State of the page's service worker; waitForFunction would take an async answer for a yes. */
const workerState = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    return registration?.active?.state ?? (registration?.installing ? 'installing' : 'none');
  });
const kept = (page: Page) => expect.poll(() => workerState(page), { timeout: 60_000 }).toBe('activated');

describe('the folder', () => {
  // Without a network, and with one where the program that served the page has ended.
  it.each([true, false])('works at the second visit when nothing answers (offline: %s)', async (offline) => {
    const context = await tests.newContext();
    const page = await tests.open({ context, hash: 'decode?lang=ko' });
    await ready(page);
    await kept(page);
    tests.server.answer = (_, response) => {
      response.destroy();
      return true;
    };
    await context.setOffline(offline);
    const again = await tests.open({ context, hash: 'decode?lang=en&step=3' });
    await atStep(again, 3);
    expect((await scene(again)).with).toBe(7);
    await again.getByRole('heading', { name: /To make one more token/ }).waitFor();
    // Longer than the page waits before it starts a service worker: nothing it asks for in vain may be told in the console.
    await ready(again);
    await again.waitForTimeout(3000);
  });

  it('keeps nothing of a file that did not arrive whole', async () => {
    const context = await tests.newContext();
    let bad = true;
    let asked = 0;
    tests.server.answer = (path, response) => {
      // The page does not ask for the SFT model at first: only the service worker does.
      if (!bad || !path.endsWith('/sft.pth')) return false;
      asked += 1;
      response.writeHead(200, { 'content-length': 1000 });
      response.end(Buffer.alloc(1000));
      return true;
    };
    const page = await tests.open({ context, failing: true, hash: 'decode?lang=ko' });
    await ready(page);
    // Once from the browser's cache, once past it; then it gives up.
    await expect.poll(() => asked, { timeout: 60_000 }).toBe(2);
    await expect.poll(() => workerState(page), { timeout: 30_000 }).toBe('none');
    bad = false;
    const again = await tests.open({ context, hash: 'decode?lang=ko' });
    await ready(again);
    await kept(again);
  });
});

describe('one HTML file', () => {
  it('works from file://, asks for nothing', async () => {
    const page = await tests.open({ url: pathToFileURL(singleFile).href, hash: 'decode?lang=ko&step=6' });
    await atStep(page, 6);
    expect(await scene(page)).toMatchObject({ with: 10, without: 45 });
    expect(await page.locator('#decode .facts .zero').innerText()).toBe('0');
    const requests = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !name.startsWith('blob:')));
    expect(requests).toEqual([]);
    await page.locator('header select').selectOption('zh');
    await page.getByRole('heading', { name: '多生成一个词元，前面的都要重算吗？' }).waitFor();
  });

  it("reaches the lab's numbers too", async () => {
    const page = await tests.open({ url: pathToFileURL(singleFile).href, hash: 'decode?lang=ko&prompt=lab&step=64' });
    await atStep(page, 64);
    expect(await scene(page)).toMatchObject({ with: 264, without: 14880 });
  });
});
