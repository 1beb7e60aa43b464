/** Why: attention, old K and V with and without the mask, and the experiments: known figures of the demo, and how they are handled. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { cutTexts, violations } from './looks';
import { nativeWhy } from './native';
import { atStep, browserTests, drop, onDisk, painted, ready, root, show } from './support';

const tests = browserTests();
const models = join(root, 'web/models/demo');
const whole = (text: string) => text.replace(/\s+/g, ' ').trim();

async function opened(scene = 'step=6', options: Parameters<typeof tests.open>[0] = {}): Promise<Page> {
  const page = await tests.open({ hash: `why?lang=ko&${scene}`, ...options });
  await ready(page);
  await page.locator('#why svg[role=img]').first().waitFor({ timeout: 60_000 });
  return page;
}
const row = (page: Page, name: string) => page.locator(`#why [data-experiment="${name}"]`);
async function guess(page: Page, name: string, word: '같다' | '달라진다'): Promise<void> {
  await row(page, name).getByRole('button', { name: word, exact: true }).click();
}
/** The cells of an experiment's row once it has run: guess, first difference, largest difference, bytes. */
async function told(page: Page, name: string): Promise<string[]> {
  await row(page, name).locator('.look').waitFor({ timeout: 60_000 });
  return (await row(page, name).locator('td').allInnerTexts()).map(whole);
}
const whyDone = (page: Page) => page.waitForFunction(() => document.querySelectorAll('#why [data-experiment]').length === document.querySelectorAll('#why .look').length, null, { timeout: 120_000 });
const mask = (page: Page, word: '마스크 있음' | '마스크 없이') => page.locator('#why fieldset label', { hasText: word }).click();

describe('attention', () => {
  it('is a triangle whose rows sum to one; only the newest is the cache lane', async () => {
    const page = await opened();
    expect(await page.locator('#why svg[role=img] .cell').count()).toBe((10 * 11) / 2);
    expect(await page.locator('#why svg[role=img] .cell.newest').count()).toBe(10);
    await page.locator('#why .words details summary').click();
    for (const place of [9, 4, 0]) {
      await page.locator('#why .words select').selectOption(String(place));
      const shares = (await page.locator('#why .words td').allInnerTexts()).map((text) => Number.parseFloat(text));
      expect(shares).toHaveLength(place + 1);
      expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThan(0.06);
    }
    expect(whole(await page.locator('#why .words p').first().innerText())).toContain('55칸');
  });

  it('folds all but the newest tokens of a long text, and says what they are given', async () => {
    const page = await opened('prompt=lab&step=3');
    expect(await page.locator('#why svg[role=img] .cell.newest').count()).toBe(20);
    const folded = whole(await page.locator('#why .words li').last().innerText());
    expect(folded).toMatch(/앞의 183개는 접음 \(이 줄이 [\d.]+% 봄\)/);
  });

  it('is another one for another layer and head, which a shared link keeps', async () => {
    const page = await opened('step=6&layer=3&head=4');
    const titles = () => page.locator('#why svg[role=img] .cell title').allTextContents();
    const [layer, head] = [page.locator('#why .pick select').first(), page.locator('#why .pick select').nth(1)];
    expect([await layer.inputValue(), await head.inputValue()]).toEqual(['3', '4']);
    const before = await titles();
    await layer.selectOption('1');
    await page.waitForFunction((old) => document.querySelector('#why svg .cell.newest title')?.textContent !== old, before.at(-10));
    expect(await titles()).not.toEqual(before);
    await page.waitForFunction(() => location.hash.includes('layer=1'));
    const again = await tests.open({ hash: 'why?lang=ko&step=6&layer=99&head=99' });
    await ready(again);
    expect(await again.locator('#why .pick select').first().inputValue()).toBe('4');
  });
});

describe('old K and V', () => {
  it('stay to the bit; without the mask they change from the second layer on, and so do the logits', async () => {
    const page = await opened();
    const count = page.locator('#why .count');
    await count.getByText('163,840비트').waitFor();
    expect(await count.locator('strong').innerText()).toBe('0');
    expect(await page.locator('#why .differs').count()).toBe(0);
    await mask(page, '마스크 없이');
    await page.locator('#why svg .differs').first().waitFor();
    expect(Number((await count.locator('strong').innerText()).replace(/\D/g, ''))).toBeGreaterThan(10_000);
    expect(await page.getByRole('button', { name: '1층 = 0' }).count()).toBe(1);
    expect(whole(await page.locator('#why .says').first().innerText())).toMatch(/2층부터 앞의 K와 V가 달라집니다.*로짓이 최대 1\.5 달라집니다/);
    await page.getByRole('button', { name: '1층 = 0' }).click();
    await page.locator('#why .says').getByText('1층의 K와 V는 아직 다른 토큰을 보기 전에').waitFor();
    expect(await page.locator('#why svg .differs').count()).toBe(0);
    await mask(page, '마스크 있음');
    await page.locator('#why .says').getByText('마지막 비트까지 같습니다').waitFor();
  });

  it('open to their numbers', async () => {
    const page = await opened();
    await page.locator('#why .block').nth(1).getByRole('button', { name: '민수는' }).click();
    const numbers = page.locator('#why ol.num li');
    expect(await numbers.count()).toBe(32);
    const k = await numbers.allInnerTexts();
    expect(k.every((text) => /^-?\d+\.\d{3}$/.test(text))).toBe(true);
    await page.locator('#why').getByText('V', { exact: true }).click();
    expect(await numbers.allInnerTexts()).not.toEqual(k);
    await mask(page, '마스크 없이');
    await page.locator('#why ol.num li.differs').first().waitFor();
    expect(await page.locator('#why ol.num li.differs').first().innerText()).toMatch(/→/);
  });

  it('say that nothing has come later yet, and lead there', async () => {
    const page = await opened('step=0');
    await page.locator('#why').getByRole('button', { name: '6걸음까지 가기' }).click();
    await atStep(page, 6);
    await page.locator('#why .count').getByText('163,840비트').waitFor();
  });
});

/** What a float64 forward gives on the short text: first differing token, largest difference of logits. */
const KNOWN: Readonly<Record<string, [first: string, largest: string, bytes: string]>> = {
  'cache-off': ['없음, 비트까지 같음', '0', '0'],
  'cache-off-drawn': ['없음, 비트까지 같음', '0', '0'],
  'position-0': ['2번째', '8.1', '57,344'],
  'k-before-rotation': ['3번째', '7.4', '57,344'],
  'fed-twice': ['8번째', '8.3', '104,448'],
  'left-over': ['5번째', '4.1', '65,536'],
  'swapped-layer-2': ['5번째', '3.5', '57,344'],
  'no-mask': ['없음', '2.3', '57,344'],
  float16: ['없음', '0.0087', '28,672'],
  int8: ['없음', '0.11', '16,128'],
  'window-4': ['5번째', '9.3', '8,192'],
  'window-8': ['15번째', '10.', '16,384'],
  'window-16': ['없음', '3.3', '32,768'],
  'window-32': ['없음, 비트까지 같음', '0', '57,344'],
};

describe('experiments', () => {
  it('give the known figures, and the table that mm-native why prints', async () => {
    const page = await opened('step=0', { acceptDownloads: true });
    await page.getByRole('button', { name: '짐작하지 않고 나머지를 모두 돌리기' }).click();
    await whyDone(page);
    for (const [name, [first, largest, bytes]] of Object.entries(KNOWN)) {
      const found = await told(page, name);
      expect([found[1], found[3]], name).toEqual([first, bytes]);
      expect(found[2]?.startsWith(largest), `${name}: ${found[2]}`).toBe(true);
    }
    for (const name of ['other-seed', 'other-temperature']) expect((await told(page, name))[1], name).toMatch(/^\d+번째$/);

    await page.getByText('터미널과 같은 표').click();
    const text = (await page.locator('#why [data-twin]').textContent()) ?? '';
    const names = await page.locator('#why [data-experiment]').evaluateAll((rows) => rows.map((one) => (one as HTMLElement).dataset.experiment ?? ''));
    const order = ((await page.locator('#why .command').innerText()).split('--experiments ')[1] ?? '').split(',');
    expect([...order].sort()).toEqual([...names].sort());
    const native = await nativeWhy(order);
    expect(text).toBe(native.text);
    for (const [name, wanted] of [['why.txt', native.text], ['why.json', native.json]] as const) {
      const [taken] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      expect(await readFile(await taken.path(), 'utf8'), name).toBe(wanted);
    }
  });

  it('run by the guess, one after another, and keep it', async () => {
    const page = await opened();
    await guess(page, 'cache-off', '같다');
    await guess(page, 'position-0', '같다');
    await guess(page, 'float16', '같다');
    expect((await told(page, 'cache-off'))[0]).toBe('✓ 같다');
    expect((await told(page, 'position-0'))[0]).toBe('✕ 같다');
    expect((await told(page, 'float16'))[0]).toBe('✓ 같다');
    expect(whole(await page.locator('#why [data-guessed]').innerText())).toBe('짐작 3개 가운데 2개 맞음');
    // The last guess is the one that is looked at: both texts, and what it means.
    const parting = page.locator('#why .parting');
    expect(await parting.count()).toBe(1);
    const says = whole(await parting.locator('.says').innerText());
    expect(says).toMatch(/24토큰의 답은 그대로입니다.*로짓은 최대 0\.0087.*57,344바이트에서 28,672바이트가 되었습니다\(0\.50배\)\. 센 것과 식이 같습니다/);
    await row(page, 'position-0').locator('.look').click();
    expect(whole(await parting.locator('.says').innerText())).toMatch(/캐시가 아니라 버그입니다/);
    expect(await parting.locator('.first').count()).toBe(2);

    // Finish shows them beside what came.
    const compared = (await page.locator('#finish [data-tried] .row').allInnerTexts()).map(whole);
    expect(compared).toHaveLength(3);
    expect(compared.find((text) => text.includes('0번 자리'))).toMatch(/같다.*처음 달라진 토큰: 2번째.*✕ 달랐습니다/);
    expect(compared.find((text) => text.includes('float16'))).toMatch(/같다.*없음.*✓ 맞았습니다/);
    // Guesses are remembered, results belong to the visit.
    await page.reload();
    await ready(page);
    await row(page, 'cache-off').getByRole('button', { name: '돌려 보기' }).waitFor();
  });

  it('can be stopped, and a shared link brings its experiment', async () => {
    const page = await opened('prompt=lab&step=1&try=window-4');
    const stop = page.locator('#why').getByRole('button', { name: '멈추기' });
    await told(page, 'window-4');
    await page.locator('#why .parting').waitFor();
    await page.getByRole('button', { name: '짐작하지 않고 나머지를 모두 돌리기' }).click();
    await stop.click();
    await stop.waitFor({ state: 'detached' });
    const left = await page.locator('#why [data-experiment]').count();
    expect(await page.locator('#why .look').count()).toBeLessThan(left);
    await guess(page, 'float16', '같다');
    await told(page, 'float16');
    await page.waitForFunction(() => location.hash.includes('try=float16'));
  });

  it('leave nothing of one model or text to another', async () => {
    const page = await opened('prompt=lab&step=1');
    await page.getByRole('button', { name: '짐작하지 않고 나머지를 모두 돌리기' }).click();
    await row(page, 'cache-off').locator('.look').waitFor({ timeout: 60_000 });
    // Another model in the middle of it.
    await drop(page, await onDisk(['sft.pth', 'tokenizer.json'].map((name) => join(models, name))));
    await page.locator('header .model', { hasText: 'sft.pth' }).waitFor({ timeout: 60_000 });
    await page.locator('#why [role=progressbar]').waitFor({ state: 'detached' });
    expect(await page.locator('#why .look').count()).toBe(0);
    await page.locator('#why svg[role=img]').first().waitFor({ timeout: 60_000 });
    await guess(page, 'position-0', '달라진다');
    await told(page, 'position-0');
    await show(page, { prompt: 'short', step: '2' });
    await page.locator('#decode .cell', { hasText: '강아지' }).first().waitFor();
    expect((await page.locator('#why .parting .strip').count()) % 2).toBe(0);
  });
});

describe('how it looks', () => {
  it('axe finds nothing, in three languages and both themes, with all of it open', async () => {
    const page = await opened('step=6&try=window-4', { bypassCSP: true });
    await told(page, 'window-4');
    await mask(page, '마스크 없이');
    await page.locator('#why svg .differs').first().waitFor();
    await page.locator('#why .block').nth(1).getByRole('button', { name: '민수는' }).click();
    await page.evaluate(() => document.querySelectorAll('#why details').forEach((details) => ((details as HTMLDetailsElement).open = true)));
    await page.locator('#why [data-twin]').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('nothing sticks out and no text is cut, at any width, in three languages', async () => {
    const page = await opened('step=24&try=window-4');
    await told(page, 'window-4');
    await mask(page, '마스크 없이');
    await page.locator('#why svg .differs').first().waitFor();
    expect(await cutTexts(page)).toEqual([]);
  });

  it('all of it is reached by keyboard', async () => {
    const page = await opened();
    await page.locator('#why .pick select').first().focus();
    const reached = new Set<string>();
    for (let tab = 0; tab < 60; tab += 1) {
      reached.add(await page.evaluate(() => {
        const { activeElement: at } = document;
        return at?.closest('[data-experiment]') ? 'guess' : at?.closest('#why table') ? 'token' : `${at?.tagName}${at?.getAttribute('type') ?? ''}`;
      }));
      await page.keyboard.press('Tab');
    }
    for (const what of ['SELECT', 'INPUTradio', 'SUMMARY', 'token', 'guess']) expect([...reached], what).toContain(what);
  });

  it('a term of a formula says what it is, with the live number', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=3' });
    await atStep(page, 3);
    await page.locator('#decode .formula-with').getByRole('button', { name: /^P 5/ }).click();
    await page.getByRole('tooltip').getByText('P는 프롬프트의 토큰 수입니다. 지금은 5').waitFor();
    await ready(page);
    const width = page.locator('#cache .formula').first().getByRole('button', { name: /^head_dim/ });
    // Scrolling closes what is open, and its event comes late.
    await width.scrollIntoViewIfNeeded();
    await painted(page);
    await width.click();
    await page.getByRole('tooltip').getByText('숫자 32개').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('[role=tooltip]:popover-open').count()).toBe(0);
  });
});
