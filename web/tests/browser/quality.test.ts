/** What holds for every section as it is opened: accessibility, no cut text, the policy. Filled: later.test.ts. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cutTexts, violations } from './looks';
import { atStep, browserTests, ready, singleFile, site } from './support';

const tests = browserTests();

describe('as it is opened', () => {
  it('axe finds nothing', async () => {
    const page = await tests.open({ bypassCSP: true, hash: 'decode?lang=ko&prompt=lab&step=3' });
    await atStep(page, 3);
    await ready(page);
    await page.evaluate(() => document.querySelectorAll('main details').forEach((details) => ((details as HTMLDetailsElement).open = true)));
    // In every language once all of it is filled: later.test.ts.
    expect(await violations(page, ['ko'])).toEqual([]);
  });

  it.each(['decode?step=0', 'topp?prompt=lab&step=1', 'temperature?prompt=lab&step=64'])('nothing sticks out and no text is cut, at any width, in three languages: %s', async (scene) => {
    const page = await tests.open({ hash: `${scene}&lang=ko` });
    await atStep(page, Number(scene.split('step=')[1]));
    await ready(page);
    expect(await cutTexts(page)).toEqual([]);
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
