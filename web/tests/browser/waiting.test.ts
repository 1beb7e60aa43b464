/** Several sections wait for the SFT model: each stops for itself, at once. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserTests, ready, root } from './support';

const tests = browserTests();

/** The SFT file comes when it is let go. */
async function slowSft(): Promise<() => void> {
  const bytes = await readFile(join(root, 'web/models/demo/sft.pth'));
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  tests.server.answer = (path, response) => {
    if (!path.endsWith('/sft.pth')) return false;
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 10_000));
    void gone.then(() => response.end(bytes.subarray(10_000)));
    return true;
  };
  return letGo;
}
/** What waits for the SFT model: how it begins, and how it is seen to have come to its end. */
const SECTIONS = {
  temperature: {
    begin: (page: Page) => page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click(),
    end: (page: Page) => page.getByText('시드가 같으면 다시 물어도').waitFor({ timeout: 120_000 }),
  },
  topp: {
    begin: (page: Page) => page.locator('#topp').getByRole('button', { name: '서른 번 물어보기' }).click(),
    end: (page: Page) => page.locator('#topp .says').getByText('p = 0.9:').waitFor({ timeout: 120_000 }),
  },
  finish: {
    begin: (page: Page) => page.getByRole('button', { name: '실습 돌리기' }).click(),
    end: (page: Page) => page.locator('#finish [data-score]').getByText('/ 100점').waitFor({ timeout: 240_000 }),
  },
};
const ask = SECTIONS.temperature.begin;
const progress = (page: Page, section: string) => page.locator(`#${section} [role=progressbar]`);
const stop = (page: Page, section: string) => page.locator(`#${section}`).getByRole('button', { name: '멈추기' }).click();

describe('while the SFT model is on its way', () => {
  it.each([['temperature', 'finish'], ['finish', 'temperature'], ['topp', 'temperature'], ['finish', 'topp']] as const)('Stop in %s leaves %s', async (stopped, other) => {
    const letGo = await slowSft();
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await ready(page);
    await SECTIONS[stopped].begin(page);
    await SECTIONS[other].begin(page);
    await progress(page, stopped).waitFor();
    await progress(page, other).waitFor();
    await stop(page, stopped);
    await progress(page, stopped).waitFor({ state: 'detached', timeout: 2000 });
    await page.waitForTimeout(300);
    expect(await progress(page, other).count()).toBe(1);
    letGo();
    await SECTIONS[other].end(page);
  }, 300_000);

  it('Stop by all ends the download, and asking again begins it anew', async () => {
    const letGo = await slowSft();
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await ready(page);
    await ask(page);
    await progress(page, 'temperature').waitFor();
    await stop(page, 'temperature');
    await progress(page, 'temperature').waitFor({ state: 'detached', timeout: 2000 });
    letGo();
    await ask(page);
    await page.getByText('시드가 같으면 다시 물어도').waitFor({ timeout: 120_000 });
  }, 200_000);
});

it('Stop acts at once while another section\'s run is before it', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
  await progress(page, 'timing').waitFor();
  await ask(page);
  await progress(page, 'temperature').waitFor();
  await stop(page, 'temperature');
  await progress(page, 'temperature').waitFor({ state: 'detached', timeout: 2000 });
  expect(await progress(page, 'timing').count()).toBe(1);
  await stop(page, 'timing');
});
