/** Screens that are not a laptop's: low ones, forced colours, phones; and headings that break where a reader would. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { atStep, browserTests, LANGUAGES, painted, ready, show } from './support';

const tests = browserTests();

/** Where an element lies on the screen, top to bottom. */
const span = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`not there: ${selector}`);
  return { top: box.y, bottom: box.y + box.height };
};

describe('low screens', () => {
  it.each([
    ['a phone on its side', 844, 390],
    ['1440 × 900 at 200 %', 720, 450],
    ['1280 × 720', 1280, 720],
  ])('%s: both lanes and the next step at once, in three languages', async (_, width, height) => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=6', viewport: { width, height } });
    await atStep(page, 6);
    await ready(page);
    for (const lang of LANGUAGES) {
      for (const prompt of ['short', 'lab']) {
        await show(page, { lang, prompt, step: '6' });
        await atStep(page, 6);
        await page.evaluate(() => document.getElementById('decode')?.scrollIntoView());
        await painted(page);
        const header = await span(page, 'header');
        const bar = await span(page, '#decode .controls');
        const strip = await span(page, '#decode .strip');
        const lane = await span(page, '#decode .lane.without .row');
        expect(strip.top, `${lang}, ${prompt}: below the header`).toBeGreaterThanOrEqual(Math.min(header.bottom, height));
        expect(lane.bottom, `${lang}, ${prompt}: above the bar`).toBeLessThanOrEqual(bar.top + 1);
        expect(bar.bottom).toBeLessThanOrEqual(height + 1);
        if (height >= 700) expect((await span(page, '#decode .formula-without')).bottom, `${lang}, ${prompt}: formula`).toBeLessThanOrEqual(bar.top + 1);
      }
    }
  });
});

it('forced colours: the chosen token can be read, and only the section one is in is underlined', async () => {
  const page = await tests.open({ hash: 'decode?lang=ko&step=3', forcedColors: 'active' });
  await atStep(page, 3);
  await ready(page);
  const colours = (selector: string) =>
    page.locator(selector).first().evaluate((element) => {
      const light = (text: string) => {
        const [r = 0, g = 0, b = 0] = (/\d+/g[Symbol.match](text) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const { backgroundColor, color } = getComputedStyle(element);
      const [a, b] = [light(backgroundColor), light(color)].sort((one, two) => two - one) as [number, number];
      return { contrast: (a + 0.05) / (b + 0.05), ground: backgroundColor };
    });
  const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  for (const selector of ['#decode .strip .chosen', '#decode .candidates .chosen, #decode table .chosen', '.controls .primary']) {
    const found = await colours(selector);
    expect(found.contrast, selector).toBeGreaterThan(4.5);
    expect(found.ground, selector).not.toBe(paper);
  }
  const links = await page.locator('header nav a').evaluateAll((all) =>
    all.filter((link) => link.getClientRects().length > 0).map((link) => {
      const { borderBottomColor, borderBottomWidth, textDecorationLine } = getComputedStyle(link);
      return { here: link.hasAttribute('aria-current'), line: textDecorationLine !== 'none' || borderBottomWidth === '0px' ? textDecorationLine : borderBottomColor };
    }),
  );
  expect(links.filter(({ here }) => here)).toHaveLength(1);
  for (const { here, line } of links) expect(line === paper || line === 'none', `underlined: ${here}`).toBe(!here);
});

it('labels of the charts stand apart, on phones and wide, in three languages', async () => {
  const page = await tests.open({ hash: 'cache?lang=ko&step=6' });
  await atStep(page, 6);
  await ready(page);
  for (const width of [360, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    for (const lang of LANGUAGES) {
      await show(page, { lang });
      const touching = await page.evaluate(() => {
        const found: string[] = [];
        for (const chart of document.querySelectorAll('#decode figure svg, #cache svg, #topp figure svg, .slider .places')) {
          const labels = [...chart.querySelectorAll('text, button')].filter((label) => label.textContent?.trim());
          const boxes = labels.map((label) => {
            // A button's box holds its mark as well: only its words count.
            const range = document.createRange();
            range.selectNodeContents(label);
            return range.getBoundingClientRect();
          });
          boxes.forEach((a, i) =>
            boxes.slice(i + 1).forEach((b, j) => {
              const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
              if (x > 1 && y > 4) found.push(`${labels[i]?.textContent?.trim()} | ${labels[i + 1 + j]?.textContent?.trim()}`);
            }),
          );
        }
        return found;
      });
      expect(touching, `${width} px, ${lang}`).toEqual([]);
    }
  }
});

it('a Chinese question breaks at its comma, not inside a word', async () => {
  const page = await tests.open({ hash: 'decode?lang=zh' });
  await ready(page);
  for (const width of [360, 390, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await painted(page);
    const broken = await page.locator('h2').evaluateAll((headings) =>
      headings.flatMap((heading) => {
        const text = heading.firstChild;
        if (!(text instanceof Text)) return [`no text: ${heading.innerHTML}`];
        const top = (index: number) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          return range.getBoundingClientRect().top;
        };
        return [...text.data].flatMap((_, index) => {
          if (index === 0 || heading.getBoundingClientRect().width < 100 || top(index) - top(index - 1) < 5) return [];
          return /[，。：？\s]/.test(text.data[index - 1] ?? '') ? [] : [`${text.data.slice(0, index)}|${text.data.slice(index)}`];
        });
      }),
    );
    expect(broken, `${width} px`).toEqual([]);
  }
});
