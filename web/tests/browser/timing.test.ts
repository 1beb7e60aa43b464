/** Timing: measured here, imported, measured natively by the program that serves the page. */
import { describe, expect, it } from 'vitest';
import { nativeBench, nativeServe } from './native';
import { atStep, browserTests, give, ready, scene } from './support';

const tests = browserTests();
const number = (text: string | undefined) => Number((text ?? '').replace(/[^\d.]/g, ''));

const TIME = '{"with_cache_s": 0.05, "without_cache_s": 2.0, "speedup": 40.0}\n';

it('measures here: medians of three, the factor split into its parts', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
  await page.getByRole('progressbar', { name: '데우고 세 번씩 재는 중' }).waitFor();
  await page.getByRole('button', { name: '다시 재기', exact: true }).first().waitFor({ timeout: 120_000 });
  const machine = page.locator('#timing .machine').first();
  expect(await machine.locator('line.tick').count()).toBe(6);
  expect(await machine.getByText('여기서 측정').count()).toBe(2);
  const [withCache, withoutCache] = (await machine.locator('.value').allInnerTexts()).map(number);
  const factors = (await page.locator('#timing .factor .value').allInnerTexts()).map(number);
  expect(factors[0]).toBe(56.36);
  // Within what the digits on the screen allow.
  expect(Math.abs((withoutCache ?? 0) / (withCache ?? 1) / (factors[1] ?? 0) - 1)).toBeLessThan(0.05);
  const parts = (await page.locator('#timing .terms .live').allInnerTexts()).map(Number);
  if (parts.length > 0) expect(Math.abs((parts[0] ?? 0) / (parts[1] ?? 1) / (factors[1] ?? 0) - 1)).toBeLessThan(0.02);
  await page.getByText(/시계 눈금 [\d.]+\sms/).waitFor();
  // Where the runs differ by more than the two factors, or on the wrong side, no reason is given.
  const cost = parts[1] ?? 0;
  const spread = number(/가장 짧은 것 ([\d.]+)/.exec(await page.locator('#timing .block').first().innerText())?.[1]);
  const sound = cost > 1 && !(spread > 1 && spread >= cost);
  await page.getByText(sound ? `시간은 약 1/${factors[1]?.toFixed(2)}입니다` : '시간의 배수는 토큰의 배수를 토큰 하나가 비싸진 만큼 나눈 것입니다.').waitFor();
  expect(await page.locator('#timing .unsteady').getByRole('button', { name: '다시 재기' }).count()).toBe(sound ? 0 : 1);
  // What made the times stands beside them.
  await machine.getByText('스레드 1개 · 128비트 벡터 (simd128) · float32').waitFor();
}, 180_000);

it('the scene goes on meanwhile, and the measurement comes to its end', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko&prompt=lab' });
  await ready(page);
  await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
  const progress = page.getByRole('progressbar', { name: '데우고 세 번씩 재는 중' });
  await progress.waitFor();
  for (let step = 1; step <= 3; step += 1) {
    await page.locator('.controls .primary').evaluate((button: HTMLElement) => button.click());
    await atStep(page, step);
  }
  expect(await progress.count(), 'times are still being measured').toBe(1);
  expect(await scene(page)).toMatchObject({ step: 3, with: 203, without: 606 });
  await page.getByRole('button', { name: '다시 재기', exact: true }).first().waitFor({ timeout: 120_000 });
  expect(await page.locator('#timing .machine').first().locator('line.tick').count()).toBe(6);
  expect(await page.locator('#timing [role=alert]').count()).toBe(0);
}, 180_000);

it('waits for another long calculation, and says so', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
  const measuring = page.getByRole('progressbar', { name: '데우고 세 번씩 재는 중' });
  await measuring.waitFor();
  await page.getByRole('button', { name: '실습 돌리기' }).click();
  await page.locator('#finish').getByRole('progressbar', { name: '앞의 계산이 끝나기를 기다리는 중' }).waitFor();
  // Not only until its model is there.
  await page.waitForTimeout(1000);
  await page.locator('#finish').getByRole('progressbar', { name: '앞의 계산이 끝나기를 기다리는 중' }).waitFor();
  await page.locator('.controls .primary').evaluate((button: HTMLElement) => button.click());
  await atStep(page, 1);
  expect(await measuring.count(), 'times are still being measured').toBe(1);
  await page.locator('#timing').getByRole('button', { name: '멈추기' }).click();
  await page.locator('#finish').getByRole('progressbar', { name: /단계/ }).waitFor();
  expect(await measuring.count()).toBe(0);
  await page.locator('#finish').getByRole('button', { name: '멈추기' }).click();
  await page.locator('#finish [role=progressbar]').waitFor({ state: 'detached' });
  expect(await page.locator('[role=alert]').count()).toBe(0);
});

it('can be stopped, and says nothing went wrong', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
  await page.locator('#timing').getByRole('button', { name: '멈추기' }).click();
  await page.locator('#timing [role=progressbar]').waitFor({ state: 'detached' });
  expect(await page.locator('#timing [role=alert]').count()).toBe(0);
  expect(await page.locator('#timing .machine .value').allInnerTexts()).toEqual(['–', '–']);
});

describe('imports', () => {
  it('a time.json, tagged as imported', async () => {
    const page = await tests.open({ hash: 'timing?lang=ko' });
    await ready(page);
    await give(page, 'timing', 'time.json', TIME);
    const machine = page.locator('#timing .machine').nth(1);
    await machine.getByText('가져옴').first().waitFor();
    expect(await machine.locator('.value').allInnerTexts()).toEqual(['0.050 s', '2.00 s']);
    expect((await page.locator('#timing .factor').last().innerText()).replace(/\s+/g, ' ')).toMatch(/40\.00배.*가져옴/);
    await page.getByRole('button', { name: '가져온 값 지우기' }).click();
    expect(await page.locator('#timing .machine').count()).toBe(1);
  });

  it('the bench.json that mm-native writes', async () => {
    const page = await tests.open({ hash: 'timing?lang=ko' });
    await ready(page);
    await give(page, 'timing', 'bench.json', await nativeBench());
    const machine = page.locator('#timing .machine').nth(1);
    await machine.waitFor();
    const [withCache, withoutCache] = (await machine.locator('.value').allInnerTexts()).map(number);
    expect(withoutCache).toBeGreaterThan(withCache ?? 0);
    await page.getByText(/한꺼번에 201토큰: [\d,]+ 토큰\/초/).waitFor();
    // Like for like first, and no more than three; the file's weights are nobody's, and the page repeats it.
    await machine.getByText('네이티브 · 브라우저와 같은 조건').waitFor();
    await machine.getByText('스레드 1개 · 128비트 벡터').waitFor();
    expect(await page.locator('#timing .machine').count()).toBeLessThanOrEqual(4);
    await page.getByText('지어낸 가중치(lab)로 잰 값').waitFor();
    await page.getByText(/빠르기는 브라우저와 같은 조건일 때의 .*배입니다/).waitFor();
  }, 120_000);

  it('bent ones: refused by name or shown whole, on a phone as well; the page goes on', async () => {
    const page = await tests.open({ hash: 'timing?lang=ko', viewport: { width: 390, height: 844 } });
    await ready(page);
    const row = (what: string, median: number, more: object = {}) => ({
      size: 'lab', what, threads: 1, instruction_set: 'sse2', unit: what.startsWith('step') ? 's' : 'tokens/s', median, min: median, max: median, ...more,
    });
    const rows = [row('step 3 with cache, float32', 0.1), row('step 3 without cache, float32', 2), row('decode after 201, float32', 5000), row('prefill 201, float32', 9000)];
    const bench = (results: object[], more: object = {}) =>
      JSON.stringify({ machine: { cpu: '<img src=x>'.repeat(10), cores: 2, instruction_set: 'avx2' }, made_up_weights: true, results, ...more });
    const cases: [string, string, RegExp | number][] = [
      ['every row twice', bench([...rows, ...rows]), 2],
      ['other depths', bench([...rows, row('decode after 512, float32', 4000), row('decode after 4096, float32', 900)]), 2],
      ['long names', bench(rows.map((one) => ({ ...one, size: '가'.repeat(60) })).concat(rows)), 2],
      ['names of objects', bench(rows.map((one) => ({ ...one, size: '__proto__', instruction_set: 'constructor' }))), 2],
      ['nothing of step 3', bench(rows.slice(2)), 1],
      ['a time below nothing', bench([row('step 3 with cache, float32', -1), ...rows]), /results\[0\]\.min/],
      ['no time at all', bench([row('step 3 with cache, float32', 0), ...rows]), /results\[0\]\.min/],
      ['an age', bench([row('step 3 with cache, float32', 1e300), ...rows]), /results\[0\]\.min/],
      ['a median outside', bench([row('step 3 with cache, float32', 1, { max: 0.5 }), ...rows]), /results\[0\]\.median/],
      ['half a thread', bench([row('step 3 with cache, float32', 1, { threads: 1.5 }), ...rows]), /results\[0\]\.threads/],
    ];
    for (const [name, text, expected] of cases) {
      await give(page, 'timing', 'bench.json', text);
      if (typeof expected === 'number') {
        await page.getByRole('button', { name: '가져온 값 지우기' }).waitFor();
        expect(await page.locator('#timing .machine').count(), name).toBe(expected);
        if (expected === 1) await page.getByText('나란히 잰 시간이 없습니다').waitFor();
        const shown = await page.locator('#timing').innerText();
        expect(shown, name).not.toMatch(/NaN|Infinity|∞|undefined/);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(390);
        await page.getByRole('button', { name: '가져온 값 지우기' }).click();
      } else {
        expect(await page.locator('#timing [role=alert]').innerText(), name).toMatch(expected);
        await page.locator('#timing [role=alert] button').click();
      }
    }
    await give(page, 'timing', 'time.json', TIME);
    await page.locator('#timing .machine').nth(1).waitFor();
  });

  it('says what is wrong with another file, and goes on', async () => {
    const page = await tests.open({ hash: 'timing?lang=ko' });
    await ready(page);
    for (const [name, text] of [['same.json', '{"ids": []}'], ['x.json', 'not json'], ['deep.json', '['.repeat(100000)], ['big.json', ' '.repeat(5 << 20)]] as const) {
      await give(page, 'timing', name, text);
      await page.getByText('bench.json이나 time.json으로 읽을 수 없는 파일입니다').waitFor();
      await page.locator('#timing [role=alert] button').click();
      expect(await page.locator('#timing [role=alert]').count()).toBe(0);
    }
    await give(page, 'timing', 'time.json', TIME);
    await page.locator('#timing .machine').nth(1).waitFor();
  });
});

describe('served by mm-native', () => {
  it('the page measures the native twin live, under the server’s policy', async () => {
    const server = await nativeServe();
    try {
      const page = await tests.open({ url: `${server.address}#timing?lang=ko` });
      await ready(page);
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
      await page.getByRole('button', { name: '네이티브로 재기' }).click();
      const machine = page.locator('#timing .machine').nth(1);
      await machine.getByText('네이티브 측정').first().waitFor({ timeout: 120_000 });
      const [withCache, withoutCache] = (await machine.locator('.value').allInnerTexts()).map(number);
      expect(withCache).toBeGreaterThan(0);
      expect(withoutCache).toBeGreaterThan(withCache ?? 0);
      expect(await page.locator('#timing .about .flag').count(), 'the demo, which the page has loaded').toBe(0);
      await page.getByText(/빠르기는 브라우저와 같은 조건일 때의 .*배입니다/).waitFor();
      // Both at once would slow each other down.
      await page.getByRole('button', { name: '이 브라우저에서 재기' }).click();
      expect(await page.getByRole('button', { name: '네이티브로 다시 재기' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: '다시 재기', exact: true }).first().waitFor({ timeout: 120_000 });
      await page.getByText(/빠르기는 이 브라우저의 .*배입니다/).waitFor();
      await page.getByRole('button', { name: '네이티브로 다시 재기' }).click();
      expect(await page.locator('#timing').getByRole('button', { name: '다시 재기', exact: true }).first().isDisabled()).toBe(true);
      expect(await page.locator('#finish').getByRole('button', { name: '실습 돌리기' }).isDisabled()).toBe(true);
      await page.locator('#timing').getByRole('button', { name: '멈추기' }).click();
    } finally {
      expect(await server.stop()).toBe(143);
    }
  }, 180_000);

  it('elsewhere the page does not offer it and asks nobody', async () => {
    const page = await tests.open({ hash: 'timing?lang=ko' });
    await ready(page);
    expect(await page.getByRole('button', { name: '네이티브로 재기' }).count()).toBe(0);
  });
});
