/** What holds for every section as it is opened: accessibility, no cut text, the policy. Filled: later.test.ts. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { violations } from './axe';
import { atStep, browserTests, LANGUAGES, ready, show, singleFile, site } from './support';

const tests = browserTests();

describe('as it is opened', () => {
  it('axe finds nothing, in three languages and two themes', async () => {
    const page = await tests.open({ bypassCSP: true, hash: 'decode?lang=ko&prompt=lab&step=3' });
    await atStep(page, 3);
    await page.evaluate(() => document.querySelectorAll('main details').forEach((details) => ((details as HTMLDetailsElement).open = true)));
    const found: string[] = [];
    for (const lang of LANGUAGES) {
      for (const theme of ['light', 'dark']) {
        await show(page, { lang, theme });
        found.push(...(await violations(page)).map((line) => `${lang}, ${theme}: ${line}`));
      }
    }
    expect(found).toEqual([]);
  });

  it('nothing sticks out to the side and no label is cut, at any width, in three languages', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab&step=3' });
    await atStep(page, 3);
    const found: string[] = [];
    for (const width of [320, 360, 768, 1024, 1440, 2560, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      for (const lang of LANGUAGES) {
        await show(page, { lang });
        const out = await page.evaluate(() => {
          const wide = document.documentElement.scrollWidth > innerWidth ? [`page: ${document.documentElement.scrollWidth}`] : [];
          // Text of a button or label that is wider than its box would be cut.
          const cut = [...document.querySelectorAll<HTMLElement>('main button, main label, main legend, main dt, main .answer > *, header .tool')]
            .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && !element.matches('.fold, .visually-hidden'))
            .map((element) => `${element.className}: ${element.innerText.slice(0, 40)}`);
          return [...wide, ...cut];
        });
        found.push(...out.map((line) => `${width} px, ${lang}: ${line}`));
      }
    }
    expect(found).toEqual([]);
  });
});

describe('the policy', () => {
  it('is strict in both outputs', async () => {
    for (const file of [`${site}/index.html`, singleFile]) {
      const policy = /Content-Security-Policy" content="([^"]+)"/.exec(await readFile(file, 'utf8'))?.[1]?.replaceAll('&#39;', "'") ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:|\*/);
    }
  });

  it('lets no other script in', async () => {
    const page = await tests.open({ failing: true });
    await ready(page);
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.intruder = true';
      document.body.append(script);
      const fetched = await fetch('http://127.0.0.1:9/x').then(() => true, () => false);
      return [(window as unknown as { intruder?: boolean }).intruder === true, fetched];
    });
    expect(ran).toEqual([false, false]);
  });
});
