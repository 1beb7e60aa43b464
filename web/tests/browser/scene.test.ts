/** The scene as the reader makes it: own prompt, languages, cancel, the address. */
import { describe, expect, it } from 'vitest';
import { atStep, browserTests, ready, scene } from './support';

const tests = browserTests();

describe('own prompt', () => {
  it('starts with Enter, but not with the Enter that ends a syllable', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await page.locator('#decode label').getByText('직접 쓰기').click();
    const area = page.getByLabel('프롬프트를 적으세요');
    await area.focus();
    await area.pressSequentially('서연은 봄');
    const client = await page.context().newCDPSession(page);
    await client.send('Input.imeSetComposition', { text: '이', selectionStart: 1, selectionEnd: 1 });
    expect(await area.inputValue()).toBe('서연은 봄이');
    // What an input method sends while it composes.
    await area.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true });
    await area.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
    expect(await page.evaluate(() => location.hash)).not.toContain('prompt=own');
    await client.send('Input.insertText', { text: '이' });
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('prompt=own'));
    await ready(page);
    expect(await page.locator('#decode .strip .text').allInnerTexts()).toContain('서연은');
    await page.locator('.controls .primary').click();
    await atStep(page, 1);
    expect((await scene(page)).with).toBe(await page.locator('#decode .strip .text').count());
  });

  it('says what is missing when there is no text', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await page.locator('#decode label').getByText('직접 쓰기').click();
    await page.getByRole('button', { name: '이 프롬프트로 시작' }).click();
    await page.getByText('글을 한 글자 이상 적어 주세요.').waitFor();
  });

  it('is text only, whatever it holds', async () => {
    const text = encodeURIComponent('<img src=x onerror=alert(1)>&amp;<b>굵게</b>');
    const page = await tests.open({ hash: `decode?lang=ko&prompt=own&text=${text}&step=1` });
    await atStep(page, 1);
    expect(await page.locator('main img, main b').count()).toBe(0);
  });

  it('cuts nothing: counts, says what is too much, and keeps a long text out of the address but through a reload', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await page.locator('#decode label').getByText('직접 쓰기').click();
    const area = page.getByLabel('프롬프트를 적으세요');
    await area.fill('가'.repeat(2003));
    await page.getByText('2,003 / 2,000자').waitFor();
    await page.getByText('3자를 줄여 주세요').waitFor();
    await page.getByRole('button', { name: '이 프롬프트로 시작' }).click();
    expect(await area.inputValue()).toHaveLength(2003);
    const text = '민수는 강에 갔다. '.repeat(30);
    await area.fill(text);
    await page.getByText('주소에는 담지 않습니다').waitFor();
    await page.getByRole('button', { name: '이 프롬프트로 시작' }).click();
    await page.locator('#decode .fold').waitFor();
    await page.waitForTimeout(400);
    expect(await page.evaluate(() => location.hash)).not.toContain('text=');
    await page.reload();
    await ready(page);
    expect(await page.getByLabel('프롬프트를 적으세요').inputValue()).toBe(text);
  });

  it('takes a long text that is many tokens', async () => {
    const page = await tests.open({ hash: `decode?lang=ko&prompt=own&text=${encodeURIComponent('😀'.repeat(900))}&step=2` });
    await atStep(page, 2);
    expect((await scene(page)).with).toBeGreaterThan(900);
  });
});

describe('language', () => {
  it('changes mid-run without disturbing the run', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    await page.locator('.speed select').selectOption('4×');
    await page.getByRole('button', { name: '이어서 보기' }).click();
    await page.waitForFunction(() => Number(document.querySelector('#decode .count .now')?.textContent) >= 2);
    await page.locator('header select').selectOption('zh');
    await page.waitForFunction(() => document.documentElement.lang === 'zh');
    await page.getByRole('heading', { name: '多生成一个词元，前面的都要重算吗？' }).waitFor();
    const then = (await scene(page)).step;
    await page.waitForFunction((before) => Number(document.querySelector('#decode .count .now')?.textContent) > before + 1, then);
    await page.locator('header select').selectOption('en');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('heading', { name: /To make one more token/ }).waitFor();
    const hangul = await page.evaluate(() =>
      [...document.querySelectorAll('h2, h3, .sub, .caption, button:not(.fold), label, legend')]
        .map((element) => (element as HTMLElement).innerText)
        .filter((text) => /[가-힣]/.test(text) && !text.includes('한국어')),
    );
    // Model text stays Korean; words of the page do not.
    expect(hangul.filter((text) => !/민수|마을|가람/.test(text))).toEqual([]);
  });

  it('that does not come leaves a sentence in each, and a way to try again', async () => {
    let breaking = true;
    tests.server.answer = (path, response) => {
      if (!/assets\/ko-/.test(path) || !breaking) return false;
      response.writeHead(503).end();
      return true;
    };
    const page = await tests.open({ failing: true, hash: 'decode?lang=ko' });
    await page.getByText('화면의 글이 도착하지 않았습니다').waitFor();
    for (const words of ['页面上的文字没有传到', "The page's words did not arrive"]) expect(await page.getByText(words).count()).toBe(1);
    breaking = false;
    await page.getByRole('button', { name: '다시 시도' }).click();
    await ready(page);
  });

  it('chosen later, that does not come: the words there say so, and trying again brings it', async () => {
    let breaking = true;
    tests.server.answer = (path, response) => {
      if (!/assets\/zh-/.test(path) || !breaking) return false;
      response.writeHead(503).end();
      return true;
    };
    const page = await tests.open({ failing: true, hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    await page.locator('header select').selectOption('zh');
    const alert = page.locator('header [role=alert]');
    await alert.getByText('中文로 된 글이 도착하지 않았습니다').waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('ko');
    expect(await page.locator('header select').inputValue()).toBe('ko');
    breaking = false;
    await alert.getByRole('button', { name: '다시 시도' }).click();
    await page.waitForFunction(() => document.documentElement.lang === 'zh');
    await alert.waitFor({ state: 'detached' });
    await atStep(page, 2);
  });

  it('follows the browser at the first visit and is remembered', async () => {
    const context = await tests.newContext({ locale: 'zh-CN' });
    const page = await tests.open({ context });
    await page.waitForFunction(() => document.documentElement.lang === 'zh');
    await page.locator('header select').selectOption('en');
    await page.waitForFunction(() => document.documentElement.lang === 'en' && location.hash.includes('lang=en'));
    const again = await tests.open({ context });
    await again.waitForFunction(() => document.documentElement.lang === 'en');
  });
});

describe('cancel', () => {
  it('stops a long way between two steps and keeps what was computed', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&prompt=lab' });
    await ready(page);
    // From inside the page: on a busy machine the way may end before a click from outside arrives.
    await page.evaluate(async () => {
      [...document.querySelectorAll<HTMLElement>('.controls button')].at(-1)?.click();
      const stop = () => [...document.querySelectorAll('button')].find((button) => button.textContent?.trim() === '멈추기');
      while (!stop()) await new Promise(requestAnimationFrame);
      stop()?.click();
    });
    await page.getByRole('slider', { name: '걸음 고르기' }).waitFor();
    const stopped = (await scene(page)).step;
    expect(stopped).toBeLessThan(64);
    await page.waitForTimeout(500);
    expect((await scene(page)).step).toBe(stopped);
    await page.locator('.controls .primary').click();
    await atStep(page, stopped + 1);
    expect((await scene(page)).with).toBe(201 + stopped);
  });
});

describe('the address', () => {
  it('brings back the same scene', async () => {
    const context = await tests.newContext();
    const page = await tests.open({ context, hash: 'decode?lang=ko' });
    await ready(page);
    await page.locator('#decode label').getByText('실습 글').click();
    await ready(page);
    await page.getByRole('slider', { name: '걸음 고르기' }).fill('5');
    await atStep(page, 5);
    await page.waitForFunction(() => location.hash.includes('step=5') && location.hash.includes('prompt=lab'));
    const before = await scene(page);
    const shared = await page.evaluate(() => location.href);
    await page.reload();
    await atStep(page, 5);
    expect(await scene(page)).toEqual(before);
    const other = await tests.open({ hash: shared.split('#')[1] ?? '' });
    await atStep(other, 5);
    expect(await scene(other)).toEqual(before);
  });

  it('goes to the section of a link, and survives nonsense', async () => {
    for (const [section, width] of [['cache', 1280], ['cache', 360], ['topp', 360], ['timing', 768]] as const) {
      const page = await tests.open({ hash: `${section}?lang=ko&prompt=lab&step=3`, viewport: { width, height: 800 } });
      await atStep(page, 3);
      await ready(page);
      // All of it is filled by now, above and below.
      await page.waitForTimeout(1000);
      const top = () => page.evaluate((id) => document.getElementById(id)?.getBoundingClientRect().top ?? NaN, section);
      expect(Math.abs((await top()) - 65), `${section}, ${width} px`).toBeLessThan(2);
      // From here on the reader scrolls.
      await page.mouse.wheel(0, -300);
      await page.waitForTimeout(300);
      expect(await top()).toBeGreaterThan(200);
      expect(await page.evaluate(() => location.hash)).toContain('step=3');
    }
    const odd = await tests.open({ hash: 'nowhere?lang=xx&step=-4&t=NaN&p=7&seed=zz&prompt=%E0%A4%A' });
    await ready(odd);
    expect((await scene(odd)).step).toBe(0);
  });

  it('Back after a section link returns to the section, with what was done since', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    const link = (name: string) => page.locator('header nav a', { hasText: name }).first();
    const at = (section: string) => page.waitForFunction((id) => Math.abs((document.getElementById(id)?.getBoundingClientRect().top ?? 1e9) - 65) < 3, section);
    await link('캐시').click();
    await at('cache');
    await link('시간').click();
    await at('timing');
    await page.getByRole('slider', { name: '걸음 고르기' }).fill('2');
    await atStep(page, 2);
    await page.goBack();
    await at('cache');
    await page.goBack();
    await at('decode');
    expect((await scene(page)).step).toBe(2);
    await page.goForward();
    await at('cache');
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#cache/);
  });

  it('can be copied', async () => {
    const context = await tests.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await tests.open({ context, hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    await page.getByRole('button', { name: '이 장면의 주소 복사' }).first().click();
    await page.getByText('주소를 복사했습니다').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('step=2');
  });
});
