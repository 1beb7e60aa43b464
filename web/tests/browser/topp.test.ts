/** Top-p: survivors as in topp.json, the cut, the handle. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserTests } from './support';

const tests = browserTests();
const number = (text: string) => Number(text.replace(/[^\d.]/g, ''));

async function opened(hash = 'topp?lang=ko'): Promise<Page> {
  const page = await tests.open({ hash });
  await page.waitForFunction(() => [...document.querySelectorAll('#topp td[data-survivors]')].filter((cell) => /\d/.test(cell.textContent ?? '')).length === 6, null, { timeout: 30_000 });
  return page;
}
const kept = async (page: Page) => (await page.locator('#topp .kept strong').allInnerTexts()).map(number);
const handle = (page: Page, text = '민수는') => page.getByRole('slider', { name: `“${text}”의 p` });
const atP = (page: Page, p: string) => handle(page).getByText(p).waitFor();
/** Until both charts show as many as the slider says. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(100);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#topp figure')].every((figure) => {
      const shown = figure.querySelector('.kept strong')?.textContent?.replace(/\D/g, '');
      const said = figure.querySelector('[role=slider]')?.getAttribute('aria-valuetext')?.split(',').slice(1).join('').replace(/\D/g, '');
      return shown === said;
    }),
  );
}

it('keeps as many as topp.json says, and shows the sharp position beside it', async () => {
  const page = await opened();
  const cells = (await page.locator('#topp td[data-survivors]').allInnerTexts()).map(number);
  // The demo's values by MiniMind with PyTorch.
  expect(cells).toEqual([11, 79, 421, 1, 2, 2]);
  expect(await kept(page)).toEqual([79, 2]);
  for (const [p, expected] of [['0.5', [11, 1]], ['0.99', [421, 2]]] as const) {
    await page.locator('#topp label').getByText(`p = ${p}`).click();
    await page.waitForFunction((wanted) => document.querySelector('#topp .kept strong')?.textContent === String(wanted), expected[0]);
    expect(await kept(page)).toEqual(expected);
  }
});

it('cuts after the token that first exceeds p', async () => {
  const page = await opened();
  const rows = page.locator('#topp .frame tbody tr');
  const crossing = page.locator('#topp tr.crossing');
  expect(number(await crossing.locator('td').first().innerText())).toBe(79);
  expect(await crossing.innerText()).toContain('처음 넘음, 남김');
  const sums = await rows.evaluateAll((list) => list.filter((row) => row.querySelectorAll('td').length === 5).map((row) => Number(row.querySelectorAll('td')[3]?.textContent)));
  const at = sums.findIndex((sum) => sum > 0.9);
  const texts = await page.locator('#topp .frame tbody tr:has(td:nth-child(5))').allInnerTexts();
  expect(texts[at]).toContain('처음 넘음');
  expect(texts.slice(0, at).every((text) => text.includes('남김'))).toBe(true);
  expect(texts.slice(at + 1).every((text) => text.includes('버림'))).toBe(true);
});

describe('the handle', () => {
  it('is a slider for the keyboard', async () => {
    const page = await opened();
    await handle(page).focus();
    await page.keyboard.press('ArrowDown');
    await atP(page, '0.89');
    await settled(page);
    const fewer = await kept(page);
    expect(fewer[0]).toBeLessThan(79);
    await page.keyboard.press('End');
    await atP(page, '1.00');
    await settled(page);
    expect((await kept(page))[0]).toBe(1800);
    await page.keyboard.press('Home');
    await atP(page, '0.01');
    await settled(page);
    expect(await kept(page)).toEqual([1, 1]);
    await page.waitForFunction(() => location.hash.includes('p=0.01'));
  });

  it('can be dragged, on either chart', async () => {
    const page = await opened();
    const grip = handle(page, '마을의 특산물은');
    await grip.scrollIntoViewIfNeeded();
    const box = await grip.boundingBox();
    if (!box) throw new Error('no handle');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 60, { steps: 12 });
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 93, { steps: 12 });
    await page.mouse.up();
    await settled(page);
    const p = Number(await handle(page).getAttribute('aria-valuenow'));
    expect(p).toBeGreaterThan(0.4);
    expect(p).toBeLessThan(0.6);
    expect(await handle(page, '마을의 특산물은').getAttribute('aria-valuenow')).toBe(String(p));
    const [broad] = await kept(page);
    expect(broad).toBeGreaterThan(5);
    expect(broad).toBeLessThan(20);
    await page.mouse.move(10, 10);
    expect(Number(await handle(page).getAttribute('aria-valuenow'))).toBe(p);
  });
});

it('shows the tail: dropped tokens are there on a logarithmic axis', async () => {
  const page = await opened();
  const height = () => page.evaluate(() => (document.querySelector('#topp .dropped-bars') as SVGPathElement).getBBox().height);
  const before = await height();
  await page.locator('#topp label').getByText('꼬리').click();
  await page.getByText('확률 (로그 눈금)').first().waitFor();
  expect(await height()).toBeGreaterThan(before * 10);
  // There the cut is what is dragged, sideways: as far to the right as it goes keeps all.
  const grip = handle(page);
  await grip.scrollIntoViewIfNeeded();
  const box = await grip.boundingBox();
  if (!box) throw new Error('no handle');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 60, y, { steps: 6 });
  await page.mouse.up();
  await settled(page);
  const p = Number(await grip.getAttribute('aria-valuenow'));
  expect(p).toBeGreaterThan(0.3);
  expect(p).toBeLessThan(0.9);
  expect((await kept(page))[0]).toBeLessThan(79);
  await grip.press('End');
  await settled(page);
  expect((await kept(page))[0]).toBe(1800);
});

it('has the whole vocabulary in its table, from the first rank to the last', async () => {
  const page = await opened();
  await page.locator('#topp details > summary').first().click();
  const rows = page.locator('#topp details table').first().locator('tbody tr');
  expect((await rows.first().innerText()).split(/\s+/)[0]).toBe('1');
  const last = (await rows.last().innerText()).split(/\t/);
  expect(number(last[0] ?? '')).toBe(1800);
  expect(Number(last[3])).toBeCloseTo(1, 4);
  expect(last[4]).toContain('버림');
});

it('comes back from a shared address', async () => {
  const page = await opened('topp?lang=en&p=0.37');
  await page.getByRole('slider', { name: 'p for “민수는”' }).getByText('0.37').waitFor();
});
