/** The model: the reader's own by drop and by choice, wrong files, a broken download, no worker. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atStep, browserTests, drop, onDisk, ready, root, scene } from './support';

const tests = browserTests();
const golden = join(root, 'tests/golden/lab/ref');
const own = [join(golden, 'pretrain.pth'), join(golden, 'sft.pth'), join(golden, 'tokenizer.json')];

describe('own model', () => {
  it('by drop: the scene begins anew on it, and goes back to the demo', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    await drop(page, await onDisk(own));
    await page.locator('#model dd', { hasText: 'pretrain.pth' }).waitFor();
    await page.locator('header .model', { hasText: 'pretrain.pth' }).waitFor();
    await atStep(page, 2);
    const mine = await scene(page);
    expect(mine.with).toBeGreaterThan(0);
    expect(await page.locator('#decode .facts .zero').innerText()).toBe('0');
    await page.getByRole('button', { name: '연습용 모델로 돌아가기' }).click();
    await page.locator('header .model', { hasText: '연습용 모델' }).waitFor();
    await atStep(page, 2);
    expect((await scene(page)).with).toBe(6);
  });

  it('by choice of files', async () => {
    const page = await tests.open();
    await ready(page);
    await page.locator('header .model').click();
    await page.locator('#model input[type=file]').setInputFiles(own);
    await page.locator('header .model', { hasText: 'pretrain.pth' }).waitFor();
    await ready(page);
  });

  it('says what is missing or wrong, and keeps the model that was there', async () => {
    const page = await tests.open({ hash: 'decode?lang=ko&step=2' });
    await atStep(page, 2);
    const alert = page.locator('#model [role=alert]');
    const files = await onDisk(own);
    const [checkpoint, , tokenizer = Buffer.of()] = Object.values(files);
    await drop(page, { 'pretrain.pth': checkpoint ?? Buffer.of() });
    expect(await alert.innerText()).toContain('tokenizer.json');
    await drop(page, { 'tokenizer.json': tokenizer });
    expect(await alert.innerText()).toContain('체크포인트가 없습니다');
    await drop(page, { 'model-00001-of-00002.safetensors': 'x', 'tokenizer.json': tokenizer });
    expect(await alert.innerText()).toContain('model.safetensors.index.json');
    // A text that calls itself a checkpoint.
    await drop(page, { 'model.pth': tokenizer, 'tokenizer.json': tokenizer });
    await page.waitForFunction(() => document.querySelector('#model [role=alert]')?.textContent?.includes('model.pth'));
    expect(await alert.innerText()).toContain('이 파일은 읽을 수 없습니다');
    await page.keyboard.press('Escape');
    await page.locator('.controls .primary').click();
    await atStep(page, 3);
    expect((await scene(page)).with).toBe(7);
  });
});

describe('a bad connection', () => {
  it('breaks off: a sentence and a way to try again, which works', async () => {
    let broken = 0;
    tests.server.answer = (path, response) => {
      if (!path.endsWith('/pretrain.pth') || broken > 0) return false;
      broken += 1;
      response.writeHead(200, { 'content-length': 2_247_179, 'cache-control': 'max-age=3600' });
      response.write(Buffer.alloc(100_000));
      setTimeout(() => response.destroy(), 50);
      return true;
    };
    const page = await tests.open({ failing: true, hash: 'decode?lang=ko' });
    const alert = page.locator('#decode [role=alert]');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('내려받기가 끊겼습니다');
    await alert.getByRole('button', { name: '다시 시도' }).click();
    await ready(page);
    expect(broken).toBe(1);
  });

  it.each([['the worker', '/worker-'], ['the module', '.wasm']])('without %s: the same', async (_, part) => {
    let breaking = true;
    tests.server.answer = (path, response) => {
      if (!path.includes(part) || !breaking) return false;
      response.writeHead(503).end();
      return true;
    };
    const page = await tests.open({ failing: true, hash: 'decode?lang=ko' });
    const alert = page.locator('#decode [role=alert]');
    await alert.waitFor();
    breaking = false;
    await alert.getByRole('button', { name: '다시 시도' }).click();
    await ready(page);
    expect(await alert.count()).toBe(0);
  });

  it('does not spoil the next visit', async () => {
    const context = await tests.newContext();
    let breaking = true;
    tests.server.answer = (path, response) => {
      if (!path.endsWith('.wasm') || !breaking) return false;
      response.writeHead(200, { 'content-type': 'application/wasm', 'content-length': 500_000, 'cache-control': 'max-age=3600' });
      response.write(Buffer.alloc(1000));
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    const page = await tests.open({ context, failing: true, hash: 'decode?lang=ko' });
    await page.locator('#decode [role=alert]').waitFor();
    breaking = false;
    const again = await tests.open({ context, hash: 'decode?lang=ko' });
    await ready(again);
  });

  it('shows how far the download is', async () => {
    const bytes = await readFile(join(root, 'web/models/demo/pretrain.pth'));
    tests.server.answer = (path, response) => {
      if (!path.endsWith('/pretrain.pth')) return false;
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, 1_100_000));
      setTimeout(() => response.end(bytes.subarray(1_100_000)), 1500);
      return true;
    };
    const page = await tests.open({ hash: 'decode?lang=ko' });
    await page.locator('header .model', { hasText: '1.3 / 2.4 MB' }).waitFor();
    expect(await page.locator('.controls .primary').isDisabled()).toBe(true);
    await ready(page);
  });
});

describe('a browser that cannot', () => {
  it('is told what it lacks', async () => {
    const context = await tests.newContext();
    await context.addInitScript(() => {
      WebAssembly.validate = () => false;
    });
    const page = await tests.open({ context, hash: 'decode?lang=ko' });
    await page.locator('#decode [role=alert]', { hasText: 'WebAssembly' }).waitFor();
  });
});
