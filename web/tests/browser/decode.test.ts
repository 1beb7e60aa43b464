/** The decode scene: forward and back, keyboard, scrubber, the lab's two numbers. */
import { describe, expect, it } from 'vitest';
import { atStep, browserTests, ready, scene } from './support';

const tests = browserTests();
const NEXT = '.controls .primary';

describe('stepping', () => {
  it('feeds one token with the cache and all of them without, from the second step on', async () => {
    const page = await tests.open();
    await ready(page);
    expect(await scene(page)).toMatchObject({ step: 0, with: 0, without: 0 });
    const totals = [];
    for (let step = 1; step <= 6; step += 1) {
      await page.locator(NEXT).click();
      await atStep(page, step);
      const now = await scene(page);
      totals.push([now.with, now.without]);
    }
    // 5 tokens are given: P + (n − 1) and n·P + n(n − 1)/2.
    expect(totals).toEqual([[5, 5], [6, 11], [7, 18], [8, 26], [9, 35], [10, 45]]);
    expect(await page.locator('#decode .formula-with .verdict').innerText()).toContain('0');
    expect(await page.locator('#decode .facts .zero').innerText()).toBe('0');
    expect(await page.locator('#decode').innerText()).not.toContain('✕');
  });

  it('goes back to what was recorded, and asks the module for nothing anew', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=4' });
    await atStep(page, 4);
    const measured = await page.locator('#decode .facts dd').allInnerTexts();
    const before = await scene(page);
    await page.getByRole('button', { name: '한 걸음 뒤로' }).click();
    await atStep(page, 3);
    expect((await scene(page)).with).toBe(before.with - 1);
    await page.locator(NEXT).click();
    await atStep(page, 4);
    expect(await scene(page)).toEqual(before);
    // A step that ran again would have taken other milliseconds.
    expect(await page.locator('#decode .facts dd').allInnerTexts()).toEqual(measured);
  });

  it('is driven by keyboard alone', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await page.locator('#decode-question').focus();
    await page.keyboard.press('ArrowRight');
    await atStep(page, 1);
    await page.keyboard.press('ArrowRight');
    await atStep(page, 2);
    await page.keyboard.press('ArrowLeft');
    await atStep(page, 1);
    await page.keyboard.press('End');
    await atStep(page, 64);
    await page.keyboard.press('Home');
    await atStep(page, 0);
    await page.keyboard.press('Space');
    await page.waitForFunction(() => Number(document.querySelector('#decode .count .now')?.textContent) >= 2);
    await page.keyboard.press('Space');
    const stopped = (await scene(page)).step;
    await page.waitForTimeout(700);
    expect((await scene(page)).step).toBe(stopped);
    // Every control of the bar can be reached with Tab.
    await page.locator('.controls .primary').focus();
    const reached: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.tagName ?? ''));
    }
    expect(reached).toEqual(expect.arrayContaining(['BUTTON', 'INPUT', 'SELECT']));
  });

  it('leaves a key to the control that has its own use for it', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    await page.locator('.speed select').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(200);
    expect((await scene(page)).step).toBe(2);
  });

  it('jumps with the scrubber, and the button at the end leads on', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await page.getByRole('slider', { name: '걸음 고르기' }).fill('64');
    await atStep(page, 64);
    expect(await scene(page)).toMatchObject({ with: 68, without: 2336 });
    await page.getByRole('button', { name: /끝까지 봤습니다/ }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'cache-question');
  });
});

describe('a hand that changes its mind', () => {
  it('gets the step it asked for last, not the one it asked for first', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    const slide = (values: number[]) =>
      page.evaluate((targets) => {
        const slider = document.querySelector<HTMLInputElement>('#decode .progress input, #decode input[type=range]');
        for (const target of targets) {
          if (!slider) throw new Error('no slider');
          slider.value = String(target);
          slider.dispatchEvent(new Event('input', { bubbles: true }));
        }
      }, values);
    await slide([2, 9, 5]);
    await atStep(page, 5);
    await slide([3, 12]);
    await atStep(page, 12);
    expect((await scene(page)).with).toBe(201 + 11);
    await page.waitForTimeout(600);
    expect((await scene(page)).step).toBe(12);
  });

  it('counts every press, however quick, also of one who has just stopped', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    const press = (name: string, times = 1) =>
      page.evaluate(([label, count]) => {
        const button = [...document.querySelectorAll<HTMLElement>('.controls button')].find((one) => (one.getAttribute('aria-label') ?? one.innerText).startsWith(label));
        for (let press = 0; press < count; press += 1) button?.click();
      }, [name, times] as const);
    await press('다음 걸음', 6);
    await atStep(page, 6);
    await page.waitForTimeout(300);
    expect(await scene(page)).toMatchObject({ step: 6, with: 206 });
    await press('끝까지');
    await page.getByRole('button', { name: '멈추기' }).evaluate((button: HTMLElement) => {
      button.click();
      document.querySelector<HTMLElement>('.controls .primary')?.click();
    });
    await page.waitForFunction(() => Number(document.querySelector('#decode .count .now')?.textContent) > 6);
    await page.locator('#decode .progress input').waitFor();
    const { step, with: fed } = await scene(page);
    expect(step).toBeLessThan(64);
    expect(fed).toBe(201 + step - 1);
  });

  it('may change the prompt while a long way is computed', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    await page.locator('.controls button').last().click();
    await page.locator('#decode label').getByText('짧은 글').click();
    await atStep(page, 0);
    await page.locator(NEXT).click();
    await atStep(page, 1);
    expect(await scene(page)).toMatchObject({ with: 5, without: 5 });
  });
});

describe("the lab's numbers", () => {
  it('are one click away: 264 and 14,880', async () => {
    const page = await tests.open();
    await ready(page);
    await page.getByRole('button', { name: '실습 글로 64걸음까지' }).click();
    await atStep(page, 64);
    expect(await scene(page)).toMatchObject({ with: 264, without: 14880 });
    expect(await page.locator('#decode .facts .zero').innerText()).toBe('0');
    expect(await page.locator('#decode .formula-without .verdict').innerText()).toContain('56.4배');
  });

  it('stand in the table as in the chart, one row a step', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab&step=17' });
    await atStep(page, 17);
    await page.locator('#decode details summary').click();
    await page.locator('#decode details tbody tr').first().waitFor();
    const rows = await page.locator('#decode details tbody tr').count();
    expect(rows).toBe(17);
    const last = await page.locator('#decode details tbody tr').last().locator('td').allInnerTexts();
    expect(last.slice(1)).toEqual(['1', '217', '217', '3,553']);
    expect(await page.locator('#decode figure svg').nth(1).getAttribute('aria-label')).toContain('3,553');
  });
});
