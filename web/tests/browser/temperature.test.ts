/** Temperature: frozen logits under a slider, and thirty answers. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { atStep, browserTests } from './support';

const tests = browserTests();
const share = (text: string) => Number(text.replace(/[^\d.]/g, ''));

/** Once the bars show this temperature. */
async function shown(page: Page, temperature: string): Promise<void> {
  await page.locator('#temperature .columns[aria-busy=false]').first().waitFor({ timeout: 30_000 });
  await page.locator('#temperature thead').getByText(`T = ${temperature}`, { exact: true }).waitFor({ timeout: 30_000 });
}
async function column(page: Page, place: number): Promise<number[]> {
  const cells = await page.locator(`#temperature .columns table tr td.right.num:nth-of-type(${place})`).allInnerTexts();
  return cells.map(share);
}
const facts = async (page: Page) => (await page.locator('#temperature .facts .big').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));

describe('the slider', () => {
  it('follows the step that is looked at and marks the token chosen there', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko&step=2' });
    await atStep(page, 2);
    await shown(page, '0.5');
    await page.locator('#temperature label').getByText('생성 2걸음').click();
    await page.getByText('생성 2걸음에서 본 로짓').waitFor();
    await page.locator('#temperature .columns .chosen').waitFor();
    const chosen = await page.locator('#temperature .columns .chosen').innerText();
    expect(chosen).toBe(await page.locator('#decode .strip .chosen').innerText());
  });

  it('reshapes the bars without changing their order: shares add up to one at every temperature', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    const slider = page.getByRole('slider', { name: '온도' });
    await shown(page, '0.5');
    const tokens = await page.locator('#temperature .columns tbody th').allInnerTexts();
    const entropy: number[] = [];
    for (const temperature of ['0.3', '1.0', '1.5', '2.0']) {
      await slider.fill(String(Number(temperature)));
      await shown(page, temperature);
      expect(await page.locator('#temperature .columns tbody th').allInnerTexts()).toEqual(tokens);
      const now = (await page.locator('#temperature .columns table tr > td:last-child.num').allInnerTexts()).map(share);
      expect(now).toHaveLength(11);
      expect(Math.abs(now.reduce((a, b) => a + b, 0) - 100)).toBeLessThan(0.6);
      expect(now.slice(0, 10)).toEqual([...now.slice(0, 10)].sort((a, b) => b - a));
      entropy.push(Number((await facts(page))[0]?.split('→')[1]?.replace(/[^\d.]/g, '')));
    }
    expect(entropy).toEqual([...entropy].sort((a, b) => a - b));
  });

  it('opens at the broad prompt, and its formulas hold the numbers of the table', async () => {
    const page = await tests.open({ hash: 'temperature?lang=en&step=2' });
    await atStep(page, 2);
    await shown(page, '0.5');
    await page.getByText('meaning: Minsu (subject)').first().waitFor();
    const logits = (await page.locator('#temperature .columns tbody td.logit').allInnerTexts()).map(Number);
    const ratio = Number((await page.locator('#temperature .formulas strong').last().innerText()).replace(/,/g, ''));
    expect(ratio / Math.exp(((logits[0] ?? 0) - (logits[1] ?? 0)) / 0.5)).toBeCloseTo(1, 1);
    const now = (await column(page, 5)).slice(0, 2);
    expect((now[0] ?? 0) / (now[1] ?? 1) / ratio).toBeCloseTo(1, 1);
  });

  it('at 0 is greedy: one candidate, no entropy, and says so', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await shown(page, '0.5');
    const slider = page.getByRole('slider', { name: '온도' });
    await slider.focus();
    await page.keyboard.press('Home');
    await shown(page, '0.0');
    expect((await column(page, 3)).length + 1).toBeGreaterThan(1);
    expect(await facts(page)).toEqual([expect.stringMatching(/→ 0\.00 비트/), expect.stringMatching(/→ 1\.0 개/)]);
    await page.getByText('가장 높은 하나만').waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toContain('욕심쟁이');
  });

  it('draws nothing: no answer appears while it moves', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await shown(page, '0.5');
    const slider = page.getByRole('slider', { name: '온도' });
    for (let press = 0; press < 12; press += 1) await slider.press('ArrowRight');
    await shown(page, '1.1');
    expect(await page.locator('#temperature ol li').count()).toBe(0);
    await page.waitForFunction(() => location.hash.includes('t=1.1'));
  });
});

describe('thirty answers', () => {
  it('give the counts of temp.json, grouped, with broken characters visible', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await shown(page, '0.5');
    await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
    await page.getByText('시드가 같으면 다시 물어도').waitFor({ timeout: 60_000 });
    // Expected values of the demo, as MiniMind with PyTorch gives them: tests/golden, model card.
    expect(await page.locator('#temperature .distinct strong').allInnerTexts()).toEqual(['3', '9', '30']);
    const columns = page.locator('#temperature .answers');
    expect(await columns.nth(0).locator('rect.unit').count()).toBe(3);
    expect(await columns.nth(2).locator('rect.unit').count()).toBe(30);
    for (const [index, expected] of [3, 9, 30].entries()) {
      const more = columns.nth(index).locator('button.more');
      if ((await more.count()) > 0) await more.click();
      const counts = (await columns.nth(index).locator('.count').allInnerTexts()).map(share);
      expect(counts).toHaveLength(expected);
      expect(counts.reduce((a, b) => a + b, 0)).toBe(30);
      expect(counts).toEqual([...counts].sort((a, b) => b - a));
    }
    expect(await columns.nth(2).locator('.text .chip').count()).toBeGreaterThan(0);
    await columns.nth(2).getByText('글자가 깨진 답 26번').waitFor();
  });

  it('can be asked at the slider’s temperature and from another seed', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko&t=0.7' });
    await shown(page, '0.7');
    await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
    await page.locator('#temperature .distinct strong').nth(3).getByText(/\d/).waitFor({ timeout: 60_000 });
    await page.getByText('시드가 같으면 다시').waitFor({ timeout: 60_000 });
    const seed = page.getByLabel('시드');
    await seed.fill('1e3');
    await page.getByText('시드는 −2⁶³부터').waitFor();
    expect(await page.locator('#temperature').getByRole('button', { name: /물어보기/ }).isDisabled()).toBe(true);
    await seed.fill('-3');
    await page.getByText('시드가 0이 아니면').waitFor();
    expect(await page.locator('#temperature .distinct strong').allInnerTexts()).toEqual(['–', '–', '–', '–']);
    await page.waitForFunction(() => location.hash.includes('seed=-3'));
  });

  it('stop when asked to, keep what there is and can be asked again', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko' });
    await shown(page, '0.5');
    await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
    await page.locator('#temperature').getByRole('button', { name: '멈추기' }).click();
    await page.locator('#temperature .progress [role=progressbar]').waitFor({ state: 'detached' });
    expect(await page.locator('#temperature [role=alert]').count()).toBe(0);
    await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
    await page.getByText('시드가 같으면 다시').waitFor({ timeout: 60_000 });
    expect(await page.locator('#temperature .distinct strong').allInnerTexts()).toEqual(['3', '9', '30']);
  });
});

describe('one draw', () => {
  const draw = (page: Page) => page.locator('#temperature .block', { hasText: '뽑기 한 번' });

  it('keeps the noise while the slider moves, and the winner is the largest quotient', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko&t=0.5&step=1' });
    await draw(page).locator('tbody tr').first().waitFor({ timeout: 60_000 });
    const rows = async () => (await draw(page).locator('table').first().locator('tbody tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    const noise = async (name: string) => /÷ ([\d.]+) =/.exec((await rows()).find((text) => text.includes(name)) ?? '')?.[1];
    const before = await rows();
    expect(before[0]).toContain('올해');
    const kept = await noise('올해');
    expect(kept).toBeDefined();
    await page.locator('#temperature input[type=range]').first().fill('1.6');
    await draw(page).getByText('온도 1.6에서 뽑힌 것은').waitFor();
    expect(await noise('올해')).toBe(kept);
    const quotients = (await rows()).map((text) => Number(/= ([\d.,e-]+)$/.exec(text)?.[1]?.replace(/,/g, '')));
    expect(Math.max(...quotients)).toBe(quotients[0]);
    expect((await rows())[0]).not.toContain('올해');
  });

  it('shows every winner of the slider\'s range, as the slider finds them', async () => {
    const page = await tests.open({ hash: 'temperature?lang=ko&t=0&step=1&seed=7' });
    await draw(page).locator('.strip .span').first().waitFor({ timeout: 60_000 });
    await draw(page).getByText('온도 0에서는 뽑지 않고').waitFor();
    const spans = await draw(page).locator('.strip .span').evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''));
    for (const title of spans) {
      const [, from = 0, to = 2, name = ''] = (/^([\d.]+)–([\d.]+): (.*)$/.exec(title) ?? []) as unknown as [string, string, string, string];
      const middle = ((Number(from) + Number(to)) / 2).toFixed(2);
      const near = String(Math.round(Number(middle) / 0.05) * 0.05);
      if (!(Number(near) > Number(from) && Number(near) < Number(to))) continue;
      await page.locator('#temperature input[type=range]').first().fill(Number(near).toFixed(2));
      await page.waitForFunction((wanted) => document.querySelector('#temperature .strip .now')?.getAttribute('title') === wanted, title);
      expect(await draw(page).locator('.chosen').first().innerText(), title).toContain(name.replace('␣', ''));
    }
  });
});
