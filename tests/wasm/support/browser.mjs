// Chromium on a small static server of this folder's own, or on file://.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, normalize } from 'node:path';
import { packageOf, root } from './paths.mjs';

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html', '.json': 'application/json' };

/** Serves the source tree. `answer` may take a request first, to test bad servers. */
export async function serveTree(answer = () => false) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    if (answer(path, response)) return;
    if (path === '/') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>test</title>');
      return;
    }
    try {
      const body = await readFile(root + path);
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream').end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

export async function launch() {
  const { chromium } = await packageOf('playwright-core').then((module) => module.default ?? module);
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
}
