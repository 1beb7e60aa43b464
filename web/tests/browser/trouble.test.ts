/** The worker's troubles: no more memory, and its end. Both are said, and the page goes on. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atStep, browserTests, ready, root, scene, site } from './support';

const tests = browserTests();

/** The page's worker with these lines before its own. */
function workerWith(lines: string, mayServe: () => boolean = () => true) {
  tests.server.answer = (path, response) => {
    if (!/\/assets\/worker-[^/]*\.js$/.test(path) || !mayServe()) return false;
    void readFile(join(site, path), 'utf8').then((text) => {
      response.setHeader('content-type', 'text/javascript');
      response.end(`${lines}\n${text}`);
    });
    return true;
  };
}

it('no more memory is explained, and the model that was there goes on', async () => {
  // The demo fits; a larger model does not.
  workerWith(`const { grow } = WebAssembly.Memory.prototype;
    WebAssembly.Memory.prototype.grow = function (pages) {
      if (this.buffer.byteLength + pages * 65536 > 30e6) throw new RangeError('no more');
      return grow.call(this, pages);
    };`);
  const page = await tests.open({ hash: 'decode?lang=ko&step=2' });
  await atStep(page, 2);
  await page.locator('header .model').click();
  await page.locator('#model input[type=file]').setInputFiles([
    { name: 'large.pth', mimeType: 'application/octet-stream', buffer: Buffer.alloc(45_000_000) },
    { name: 'tokenizer.json', mimeType: 'application/json', buffer: await readFile(join(root, 'tests/golden/lab/ref/tokenizer.json')) },
  ]);
  const alert = page.locator('#model [role=alert]');
  await alert.waitFor();
  expect(await alert.innerText()).toContain('메모리');
  await page.keyboard.press('Escape');
  await page.locator('.controls .primary').click();
  await atStep(page, 3);
  expect((await scene(page)).with).toBe(7);
});

it('a module that traps amid the work is said; it starts again, and goes on where it was', async () => {
  let traps = true;
  // Bytes of a module with one function that traps: what a fault in ours would be.
  const trap = 'new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11]))).exports.f()';
  workerWith(`addEventListener('message', ({ data }) => { if (JSON.stringify(data).includes('step') && (globalThis.asked = (globalThis.asked ?? 0) + 1) > 2) setTimeout(() => ${trap}); });`, () => {
    const now = traps;
    traps = false;
    return now;
  });
  const page = await tests.open({ failing: true, hash: 'decode?lang=ko' });
  await ready(page);
  const alert = page.locator('#decode [role=alert]');
  let before = 0;
  for (let n = 0; n < 20 && (await alert.count()) === 0; n += 1) {
    before = (await scene(page)).step;
    await page.locator('.controls .primary:not(:disabled)').or(alert).first().click();
    await page.waitForTimeout(100);
  }
  expect(await alert.innerText()).toContain('작업자가 멈췄습니다');
  await alert.getByRole('button', { name: '다시 시도' }).click();
  await ready(page);
  await alert.waitFor({ state: 'detached' });
  await atStep(page, before);
  await page.locator('.controls .primary').click();
  await atStep(page, before + 1);
});
