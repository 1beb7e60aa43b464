/** Finish: the whole lab in the browser, graded, and the files: byte for byte those of `mm-native lab`. */
import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { nativeLab } from './native';
import { browserTests, give, ready } from './support';

const tests = browserTests();

async function runLab(page: Page): Promise<void> {
  await page.getByRole('button', { name: '실습 돌리기' }).click();
  await page.locator('#finish [data-score]').getByText('/ 100점').waitFor({ timeout: 240_000 });
}
async function withTime(page: Page, text: string | Buffer): Promise<void> {
  await give(page, 'finish', 'time.json', text);
  await page.getByText('가져온 time.json을 그대로 씁니다').waitFor();
}

it('downloads equal what mm-native lab writes, given its time.json', async () => {
  const native = await nativeLab();
  const page = await tests.open({ hash: 'finish?lang=ko', acceptDownloads: true });
  await ready(page);
  await withTime(page, native.get('time.json') ?? '');
  await runLab(page);
  expect(await page.locator('#finish [data-score] strong').innerText()).toBe('100');

  const names = await page.locator('#finish .name .file').allInnerTexts();
  expect([...names].sort()).toEqual([...native.keys()].sort());
  for (const name of names) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `${name} 받기` }).click()]);
    expect(download.suggestedFilename()).toBe(name);
    expect((await readFile(await download.path())).equals(native.get(name) ?? Buffer.of()), name).toBe(true);
  }
  const [zip] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'zip으로 모두 받기' }).click()]);
  const found = unzipSync(new Uint8Array(await readFile(await zip.path())));
  for (const [name, bytes] of native) expect(Buffer.from(found[`infer/${name}`] ?? []).equals(bytes), name).toBe(true);
}, 300_000);

it('grades its own run, compares the guesses and previews the report as text', async () => {
  const page = await tests.open({ hash: 'predict?lang=ko' });
  await ready(page);
  await page.getByRole('button', { name: '똑같다' }).click();
  await page.getByRole('button', { name: '20 KB' }).click();
  await withTime(page, '{"with_cache_s": 0.05, "without_cache_s": 1.0, "speedup": 20.0}\n');
  await runLab(page);
  const rows = await page.locator('#finish .row').allInnerTexts();
  expect(rows[0]?.replace(/\s+/g, ' ')).toMatch(/똑같다.*64개 모두 같음.*맞았습니다/);
  expect(rows[1]?.replace(/\s+/g, ' ')).toMatch(/20 KB.*204,800 바이트.*가장 가까운 답은 200 KB/);
  expect(rows[2]?.replace(/\s+/g, ' ')).toMatch(/아직 없음.*20\.0배.*가져옴/);
  // Where the answer stands there is nothing to guess any more.
  expect(await page.getByRole('button', { name: '짐작하러 가기' }).count()).toBe(0);
  expect(await page.locator('#finish [data-group]').count()).toBe(8);
  expect(await page.locator('#finish summary.failed').count()).toBe(0);
  expect(await page.locator('#finish [data-group=count] .value').innerText()).toBe('264 · 14,880');
  expect(await page.locator('#finish [data-group=topp] .value').innerText()).toBe('11 · 79 · 421');
  expect(await page.locator('#finish [data-group=temp] .value').innerText()).toBe('3 · 9 · 30');
  // The checks speak the reader's language; the report stays Korean.
  await page.locator('#finish [data-group=same] summary').click();
  await page.locator('header select').selectOption('en');
  await page.getByText('All new tokens the same').waitFor();
  await page.locator('#finish [data-check="same.ids"]').getByText(/ids/i).waitFor();
  const report = page.locator('#finish .preview');
  expect(await report.locator('.h2').allInnerTexts()).toEqual(['KV 캐시', '온도', 'top-p']);
  expect(await report.innerText()).toContain('204800');
  expect(await report.locator('img, script, a, iframe').count()).toBe(0);
  await page.getByRole('button', { name: /^same\.json/ }).click();
  expect(JSON.parse(await page.locator('#finish .preview pre').innerText())).toMatchObject({ prompt_len: 201, new_tokens: 64, same_ids: true });
}, 300_000);

it('can be stopped, and run again', async () => {
  const page = await tests.open({ hash: 'finish?lang=ko' });
  await ready(page);
  await withTime(page, '{"with_cache_s": 0.05, "without_cache_s": 1.0, "speedup": 20.0}\n');
  await page.getByRole('button', { name: '실습 돌리기' }).click();
  await page.locator('#finish').getByRole('button', { name: '멈추기' }).click();
  await page.locator('#finish [role=progressbar]').waitFor({ state: 'detached' });
  expect(await page.locator('#finish [role=alert]').count()).toBe(0);
  await runLab(page);
}, 300_000);

it('needs a time.json and says so when given something else', async () => {
  const page = await tests.open({ hash: 'finish?lang=ko' });
  await ready(page);
  await give(page, 'finish', 'count.json', '{"prompt_len": 1}');
  await page.locator('#finish').getByText('bench.json이나 time.json으로 읽을 수 없는 파일입니다').waitFor();
});
