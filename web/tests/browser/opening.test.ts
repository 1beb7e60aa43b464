/**
 * Opening a model is one act: whole, or nothing changes. Whose names and numbers are shown is told by the module, so a
 * broken part never leaves another model under the demo's name.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { nativeLab } from './native';
import { atStep, browserTests, drop, onDisk, ready, root, scene, type Files } from './support';

const tests = browserTests();
const golden = join(root, 'tests/golden/lab/ref');
const own = await onDisk(['pretrain.pth', 'sft.pth', 'tokenizer.json'].map((name) => join(golden, name)));
const [pretrain, sft, tokenizer] = ['pretrain.pth', 'sft.pth', 'tokenizer.json'].map((name) => own[name] ?? Buffer.of()) as [Buffer, Buffer, Buffer];
const DOCUMENTS = '{"text": "가람 마을에는 강이 있습니다."}\n';

const shown = (page: Page, name: string) => page.locator('#model dl > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).locator('dd').innerText();
const chosen = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.locator('.controls .primary').click();
  return scene(page);
};

describe('a part that is wrong', () => {
  const parts: Record<string, [Files, RegExp]> = {
    'documents whose second line is not JSON': [{ 'sft.pth': sft, 'tokenizer.json': tokenizer, 'val.jsonl': `${DOCUMENTS}{"text": \n` }, /\.jsonl.*읽을 수 없습니다[\s\S]*val\.jsonl: line 2/],
    'documents without a text': [{ 'sft.pth': sft, 'tokenizer.json': tokenizer, 'val.jsonl': '{"words": "x"}\n' }, /\.jsonl.*읽을 수 없습니다/],
    'a tokenizer that is none': [{ 'sft.pth': sft, 'tokenizer.json': '{"model":' }, /토크나이저 파일을 읽을 수 없습니다/],
    'a config that is none': [{ 'sft.pth': sft, 'tokenizer.json': tokenizer, 'config.json': '[1' }, /config\.json을 읽을 수 없습니다/],
    'a second checkpoint that is none': [{ 'pretrain.pth': pretrain, 'sft.pth': sft.subarray(0, 5000), 'tokenizer.json': tokenizer }, /sft\.pth: /],
  };
  it.each(Object.entries(parts))('%s: nothing changes, and that file is named', async (_, [files, words]) => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    await drop(page, files);
    const alert = page.locator('#model [role=alert]');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(words);
    expect(await alert.innerText()).toContain('지금까지 쓰던 모델은 그대로 있습니다');
    expect(await page.locator('header .model').innerText()).toContain('연습용 모델');
    expect(await shown(page, '사전학습')).toBe('pretrain.pth');
    expect(await shown(page, '파라미터')).toBe('112만');
    // The demo goes on where it was: five tokens of its own text, then three.
    expect((await chosen(page)).with).toBe(7);
  });

  it('after it the lab still is the demo\'s, whole', async () => {
    const page = await tests.open({ hash: 'finish?lang=ko', acceptDownloads: true });
    await ready(page);
    await drop(page, { 'sft.pth': sft, 'tokenizer.json': tokenizer, 'val.jsonl': 'no' });
    await page.locator('#model [role=alert]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '실습 돌리기' }).click();
    await page.locator('#finish [data-score]').getByText('/ 100점').waitFor({ timeout: 240_000 });
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'topp.json 받기' }).click()]);
    expect(await readFile(await download.path(), 'utf8')).toBe((await nativeLab()).get('topp.json')?.toString());
  }, 300_000);
});

describe('both roles', () => {
  it('DPO and pretrained, in the order that misleads: each in its role, both names shown', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await drop(page, { 'dpo_768.pth': sft, 'pretrain_768.pth': pretrain, 'tokenizer.json': tokenizer });
    await page.locator('header .model', { hasText: 'pretrain_768.pth' }).waitFor();
    expect(await shown(page, '사전학습')).toBe('pretrain_768.pth');
    expect(await shown(page, 'SFT')).toBe('dpo_768.pth');
    expect(await shown(page, '토크나이저')).toBe('tokenizer.json');
  });

  it('two that cannot be told apart are asked about', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await drop(page, { 'a.pth': sft, 'b.pth': pretrain, 'tokenizer.json': tokenizer });
    const ask = page.locator('#model .ask');
    await ask.waitFor();
    expect(await page.locator('header .model').innerText()).toContain('연습용 모델');
    const open = ask.getByRole('button', { name: '이대로 열기' });
    expect(await open.isDisabled()).toBe(true);
    await ask.getByLabel('사전학습').selectOption('b.pth');
    await open.click();
    await page.locator('header .model', { hasText: 'b.pth' }).waitFor();
    expect(await shown(page, 'SFT')).toBe('a.pth');
    expect(await ask.count()).toBe(0);
  });

  it('one file for both says so; its tokens are those of that file', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    await drop(page, { 'my.pth': pretrain, 'tokenizer.json': tokenizer, 'val.jsonl': DOCUMENTS });
    await page.locator('header .model', { hasText: 'my.pth' }).waitFor();
    expect(await shown(page, 'SFT')).toBe('같은 파일');
    expect(await shown(page, '실습의 글')).toBe('val.jsonl');
  });
});

describe('whole folders', () => {
  it('an export: what has no use is left aside and listed', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    const others = ['.DS_Store', 'README.md', 'added_tokens.json', 'chat_template.jinja', 'merges.txt', 'model_minimind.py', 'training_args.bin', 'vocab.json'];
    await drop(page, { 'pretrain.pth': pretrain, 'tokenizer.json': tokenizer, ...Object.fromEntries(others.map((name) => [name, 'x'])) });
    await page.locator('header .model', { hasText: 'pretrain.pth' }).waitFor();
    const left = await page.locator('#model .left').innerText();
    for (const name of others.slice(0, 6)) expect(left).toContain(name);
    expect(left).toContain('외 2개');
  });

  it('a folder is read, with those inside it', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await ready(page);
    const client = await page.context().newCDPSession(page);
    const data = { items: [], files: [golden], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await client.send('Input.dispatchDragEvent', { type, x: 600, y: 500, data });
    await page.locator('header .model', { hasText: 'pretrain.pth' }).waitFor();
    expect(await shown(page, 'SFT')).toBe('sft.pth');
  });
});

describe('while something runs', () => {
  it('a model that opens ends the lab\'s run at once; one that does not leaves it', async () => {
    const page = await tests.open({ hash: 'finish?lang=ko' });
    await ready(page);
    await page.getByRole('button', { name: '실습 돌리기' }).click();
    const progress = page.locator('#finish [role=progressbar]');
    await progress.waitFor();
    await drop(page, { 'sft.pth': sft, 'tokenizer.json': '[' });
    await page.locator('#model [role=alert]').waitFor();
    expect(await progress.count()).toBe(1);
    await drop(page, { 'my.pth': pretrain, 'tokenizer.json': tokenizer });
    await page.locator('header .model', { hasText: 'my.pth' }).waitFor({ timeout: 15_000 });
    await progress.waitFor({ state: 'detached' });
    expect(await page.locator('#finish [role=alert]').count()).toBe(0);
    expect(await page.locator('#finish [data-score]').count()).toBe(0);
  });

  it('loading is not at its end while the checkpoint is still to come', async () => {
    const checkpoint = await onDisk([join(root, 'web/models/demo/pretrain.pth')]);
    let letGo = () => {};
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    tests.server.answer = (path, response) => {
      if (!path.endsWith('/pretrain.pth')) return false;
      const [bytes = Buffer.of()] = Object.values(checkpoint);
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 10_000));
      void gone.then(() => response.end(bytes.subarray(10_000)));
      return true;
    };
    const page = await tests.open({ hash: 'decode?lang=ko' });
    // The tokenizer and the texts are there.
    await page.locator('header .model', { hasText: '0.2 / 2.4 MB' }).waitFor();
    await page.locator('header .model').click();
    const bar = page.locator('#model [role=progressbar]');
    await bar.waitFor();
    const seen = Number(await bar.getAttribute('aria-valuenow'));
    letGo();
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(20);
    await ready(page);
  });
});

it('a drop on Timing\'s box is its alone, and each target says what it takes', async () => {
  const page = await tests.open({ hash: 'timing?lang=ko' });
  await ready(page);
  const time = { 'time.json': '{"with_cache_s": 0.05, "without_cache_s": 1.0, "speedup": 20.0}\n' };
  await drop(page, time, 'body', true);
  await page.getByText('모델을 여기에 놓으세요').waitFor();
  await page.locator('#timing div.native').getByText('time.json을 여기에 놓으세요').waitFor();
  await drop(page, time, '#timing div.native', true);
  expect(await page.getByText('모델을 여기에 놓으세요').isVisible()).toBe(false);
  await drop(page, time, '#timing div.native');
  await page.locator('#timing').getByText('time.json', { exact: true }).first().waitFor();
  expect(await page.locator('#model [role=alert]').count()).toBe(0);
  expect(await page.locator('#model').isVisible()).toBe(false);
  expect(await page.locator('.dropping').count()).toBe(0);
});
