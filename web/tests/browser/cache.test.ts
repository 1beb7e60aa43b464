/** The cache: bytes counted on the buffers, the formula, the column a token. */
import { expect, it } from 'vitest';
import { atStep, browserTests } from './support';

const tests = browserTests();
const number = (text: string) => Number(text.replace(/[^\d]/g, ''));

it('measures what the formula says, and grows by 2 × layers × KV heads × head_dim × 4 a token', async () => {
  const page = await tests.open({ hash: 'cache?lang=ko&prompt=lab&step=1' });
  await atStep(page, 1);
  const measured = async () => number(await page.locator('#cache .measured .big').innerText());
  const formula = async () => number(await page.locator('#cache .formula .value').first().innerText());
  expect(await measured()).toBe(201 * 2 * 4 * 2 * 32 * 4);
  for (const step of [2, 3]) {
    const before = await measured();
    await page.locator('.controls .primary').click();
    await atStep(page, step);
    expect((await measured()) - before).toBe(2 * 4 * 2 * 32 * 4);
    expect(await formula()).toBe(await measured());
  }
  await page.getByText('✓ 식과 같음, 차이 0').waitFor();
});

it("shows the lab's 100 tokens and the common mistake", async () => {
  const page = await tests.open({ hash: 'cache?lang=ko&step=3' });
  await atStep(page, 3);
  const sentence = await page.locator('#cache .right-wrong').innerText();
  expect(sentence).toContain('204,800');
  expect(sentence).toContain('409,600');
});

it('halves with float16, counted on a cache of float16', async () => {
  const page = await tests.open({ hash: 'cache?lang=ko&step=3' });
  await atStep(page, 3);
  const column = page.locator('#cache .cards .value').nth(1);
  expect(await column.innerText()).toBe('2,048');
  await page.locator('#cache').getByText('float16', { exact: true }).first().click();
  await page.waitForFunction(() => document.querySelectorAll('#cache .cards .value')[1]?.textContent === '1,024');
  const counted = page.locator('#cache [data-half]');
  await counted.waitFor();
  expect(number(await counted.innerText())).toBe((5 + 24 - 1) * 2 * 4 * 2 * 32 * 2);
  await page.locator('#cache .half').getByText('✓ 식과 같음, 차이 0').waitFor();
  await page.locator('#cache .half').getByText('여기서 셈').waitFor();
  // Its bytes are no answer to whether the text stays the same: that is still to be guessed.
  await page.getByRole('button', { name: '답도 같은지 보기' }).click();
  await page.locator('#why [data-experiment=float16] .look').waitFor();
});

it('answers how many readers fit, marked as an estimate', async () => {
  const page = await tests.open({ hash: 'cache?lang=ko' });
  const people = page.locator('#cache .answer .value').last();
  await page.waitForFunction(() => /\d/.test([...document.querySelectorAll('#cache .answer .value')].at(-1)?.textContent ?? ''));
  const few = number(await people.innerText());
  await page.locator('#cache .choices select').nth(1).selectOption('512');
  await page.waitForFunction((old) => Number(([...document.querySelectorAll('#cache .answer .value')].at(-1)?.textContent ?? '').replace(/\D/g, '')) > old * 3, few);
  await page.locator('#cache .block', { hasText: '한 카드에 몇 명을 받을까' }).getByText('추정').first().waitFor();
});
