/** A tokenizer whose tokens are HTML: every section shows them as text. The policy, which would stop them too, is off. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { atStep, browserTests, ready, root, show } from './support';

const tests = browserTests();
const golden = join(root, 'tests/golden/lab/ref');

/** `run` is what would tell that one of them was taken for HTML. */
const MARKUP = [
  '<img src=x onerror="window.run=1">',
  '<svg/onload=window.run=1>',  // a token is shown in pieces, cut at spaces
  '<img/src=x/onerror=window.run=1>',
  '<script>window.run=1</script>',
  '"><iframe srcdoc="<script>parent.run=1</script>">',
  '</td></code></textarea><img src=x onerror=window.run=1>',
  '[x](javascript:window.run=1)`**<b>',
  '{@html "<img src=x onerror=window.run=1>"}&lt;img&gt;',
];

/** The golden tokenizer with markup in place of every token longer than a byte; one that is seen has its number. */
async function hostileTokenizer(): Promise<Buffer> {
  const document = JSON.parse(await readFile(join(golden, 'tokenizer.json'), 'utf8')) as {
    model: { vocab: Record<string, number>; merges: unknown[] };
    added_tokens: { id: number }[];
  };
  const added = new Set(document.added_tokens.map((token) => token.id));
  const vocab = Object.entries(document.model.vocab).map(([token, id]) =>
    [...token].length === 1 || added.has(id) ? [token, id] : [`${MARKUP[id % MARKUP.length]}${id}`.replaceAll(' ', 'Ġ'), id]);
  document.model.vocab = Object.fromEntries(vocab) as Record<string, number>;
  document.model.merges = [];
  return Buffer.from(JSON.stringify(document));
}

/** What stands in the page that only markup could have put there. */
const intruders = (page: Page) =>
  page.evaluate(() => {
    const found = [...document.querySelectorAll('img, iframe, script:not([src]), svg[onload], [onerror], [srcdoc], a[href^="javascript:"], main b')];
    return [...found.map((element) => element.outerHTML.slice(0, 200)), ...('run' in window ? ['a token ran'] : [])];
  });

it('tokens are text, in every section and language', async () => {
  const page = await tests.open({ bypassCSP: true, hash: 'decode?lang=ko' });
  await ready(page);
  await page.locator('header .model').click();
  const file = async (name: string) => ({ name, mimeType: 'application/octet-stream', buffer: await readFile(join(golden, name)) });
  await page.locator('#model input[type=file]').setInputFiles([
    await file('pretrain.pth'),
    await file('sft.pth'),
    { name: 'tokenizer.json', mimeType: 'application/json', buffer: await hostileTokenizer() },
  ]);
  await page.locator('header .model', { hasText: 'pretrain.pth' }).waitFor();
  await ready(page);
  await page.keyboard.press('Escape');
  const step = page.locator('.controls .primary');
  for (let n = 1; n <= 5; n += 1) {
    await step.click();
    await atStep(page, n);
  }
  await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
  await page.getByText('시드가 같으면 다시 물어도').waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: '실습 돌리기' }).click();
  await page.locator('#finish [data-score]').getByText('/ 100점').waitFor({ timeout: 240_000 });
  for (const folded of ['details:not([open]) > summary', 'button.more[aria-expanded=false]']) {
    const all = page.locator(`main ${folded}`);
    while ((await all.count()) > 0) await all.first().click();
  }
  for (const lang of ['ko', 'zh', 'en'] as const) {
    await show(page, { lang });
    // Or nothing was tried.
    for (const section of ['decode', 'temperature', 'topp']) {
      expect(await page.locator(`#${section}`).textContent(), section).toMatch(/<img|<svg|<script|<iframe/);
    }
    expect(await intruders(page)).toEqual([]);
  }
  // The reader's own words and the file's name are text as well.
  await page.locator('header .model').click();
  await page.locator('#model input[type=file]').setInputFiles([{ name: `${MARKUP[0]}.pth`, mimeType: 'x/x', buffer: Buffer.from('no model') }, await file('tokenizer.json')]);
  await page.locator('#model [role=alert]', { hasText: '<img src=x' }).waitFor();
  expect(await intruders(page)).toEqual([]);
}, 300_000);
