/** Sections 4 to 7 with everything filled in: axe in each language and theme, no text cut, all of it by keyboard. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { cutTexts, violations } from './looks';
import { atStep, browserTests, give, ready } from './support';

const tests = browserTests();
const LATER = ['temperature', 'topp', 'timing', 'finish'] as const;

/** Thirty answers, an imported time.json, the lab run and graded, every fold open. */
async function filled(page: Page): Promise<void> {
  await page.locator('#temperature').getByRole('button', { name: '서른 번 물어보기' }).click();
  await page.getByText('시드가 같으면 다시 물어도').waitFor({ timeout: 120_000 });
  await give(page, 'finish', 'time.json', '{"with_cache_s": 0.05, "without_cache_s": 1.0, "speedup": 20.0}\n');
  await page.getByRole('button', { name: '실습 돌리기' }).click();
  await page.locator('#finish [data-score]').getByText('/ 100점').waitFor({ timeout: 240_000 });
  // A list of what is still folded changes with every click.
  for (const folded of ['details:not([open]) > summary', 'button.more[aria-expanded=false]']) {
    const inLater = page.locator(LATER.map((section) => `#${section} ${folded}`).join(', '));
    while ((await inLater.count()) > 0) await inLater.first().click();
  }
}
describe('filled', () => {
  let page: Page;
  beforeAll(async () => {
    page = await tests.open({ bypassCSP: true, hash: 'temperature?lang=ko&step=2&t=0.7', kept: true });
    await atStep(page, 2);
    await filled(page);
  });

  it('all of it is reached by keyboard, in the order it stands', async () => {
    for (const section of LATER) {
      const expected = await page.evaluate((id) => {
        const found: string[] = [];
        const groups = new Set<string>();
        for (const element of document.querySelectorAll<HTMLElement>(`#${id} :is(button, input, summary, [tabindex="0"])`)) {
          const input = element instanceof HTMLInputElement ? element : null;
          if (element.tabIndex < 0 || (element as HTMLButtonElement).disabled || element.closest('fieldset:disabled')) continue;
          if (input?.type === 'radio') {
            if (groups.has(input.name)) continue;
            groups.add(input.name);
            const chosen = document.querySelector<HTMLElement>(`input[name="${CSS.escape(input.name)}"]:checked`) ?? element;
            chosen.dataset.key = String(found.length);
          } else element.dataset.key = String(found.length);
          found.push((element.getAttribute('aria-label') ?? element.innerText).slice(0, 30) || element.tagName);
        }
        document.getElementById(`${id}-question`)?.focus();
        return found;
      }, section);
      expect(expected.length).toBeGreaterThan(3);
      for (const [index, name] of expected.entries()) {
        await page.keyboard.press('Tab');
        const now = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement;
          const ringed = element.matches(':focus-visible');
          return [element.dataset.key, ringed];
        });
        expect(now, `${section}: ${name}`).toEqual([String(index), true]);
      }
    }
  });

  it('axe finds nothing, in three languages and two themes', async () => {
    expect(await violations(page)).toEqual([]);
  });

  it('nothing sticks out and no text is cut, at any width, in three languages', async () => {
    expect(await cutTexts(page)).toEqual([]);
  });
});

it('asks thirty times, moves the temperature and opens a file by keyboard alone', async () => {
  const page = await tests.open({ hash: 'temperature?lang=ko' });
  await ready(page);
  await page.locator('#temperature-question').focus();
  const press = async (name: RegExp, key: string) => {
    for (let tabs = 0; tabs < 60; tabs += 1) {
      await page.keyboard.press('Tab');
      const label = await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? (document.activeElement as HTMLElement).innerText);
      if (name.test(label)) return page.keyboard.press(key);
    }
    throw new Error(`never reached ${name.source}`);
  };
  await press(/^온도$/, 'ArrowRight');
  await page.locator('#temperature thead').getByText('T = 0.55').waitFor();
  await press(/물어보기/, 'Enter');
  await page.getByText('시드가 같으면 다시').waitFor({ timeout: 120_000 });
  await press(/민수는”의 p/, 'PageDown');
  await page.getByRole('slider', { name: '“민수는”의 p' }).getByText('0.80').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await press(/bench\.json/, 'Enter');
  await chooser;
});

it('moves nothing below while answers, times and checks arrive', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  await page.waitForTimeout(1000);
  await page.evaluate(() => document.getElementById('topp')?.scrollIntoView());
  await page.waitForTimeout(300);
  const shift = await page.evaluate(async () => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += (entry as unknown as { hadRecentInput: boolean; value: number }).hadRecentInput ? 0 : (entry as unknown as { value: number }).value;
    }).observe({ type: 'layout-shift' });
    const slider = document.querySelector<HTMLElement>('#topp [role=slider]');
    for (const key of ['PageDown', 'PageDown', 'ArrowUp', 'End', 'Home', 'PageUp']) {
      slider?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return sum;
  });
  expect(shift).toBeLessThan(0.01);
});
