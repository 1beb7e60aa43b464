/**
 * Chromium on the built page. Every page that `open` gives is watched: a console error, an uncaught exception or a
 * request to another origin fails the test that made it, unless the test expects failures.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { basename, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const site = join(root, 'build/web/site');
export const singleFile = join(root, 'build/web/minimind-lab.html');

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json',
};

/** May answer a request before the files do, to play a bad server. */
export type Answer = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

export interface Site {
  address: string;
  answer: Answer | null;
  close: () => Promise<void>;
}

export async function serveSite(): Promise<Site> {
  const found: Site = { address: '', answer: null, close: () => Promise.resolve() };
  const server: Server = createServer((request, response) => {
    void (async () => {
      const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
      if (found.answer?.(path, response, request)) return;
      try {
        const body = await readFile(join(site, path.endsWith('/') ? `${path}index.html` : path));
        response.setHeader('content-type', TYPES[extname(path)] ?? (path.endsWith('/') ? TYPES['.html'] : 'application/octet-stream') ?? '');
        response.setHeader('content-length', body.length);
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  found.address = `http://127.0.0.1:${address.port}`;
  found.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return found;
}

export interface OpenOptions extends BrowserContextOptions {
  /** After '#'. */
  hash?: string;
  /** Failures are part of the test: nothing is watched. */
  failing?: boolean;
  context?: BrowserContext;
  /** The page stays open for the other tests of the file. */
  kept?: boolean;
  /** Instead of the served folder. */
  url?: string;
}

/** What a test file uses: call it once at the top. */
export function browserTests() {
  let browser: Browser;
  let server: Site;
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    server = await serveSite();
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    server.answer = null;
    expect(problems.splice(0)).toEqual([]);
  });

  async function newContext({ kept = false, ...options }: BrowserContextOptions & { kept?: boolean } = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ locale: 'ko-KR', viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
    if (!kept) contexts.push(context);
    return context;
  }

  async function open({ hash = '', failing = false, context, url, ...options }: OpenOptions = {}): Promise<Page> {
    const page = await (context ?? (await newContext(options))).newPage();
    const allowed = url ? new URL(url).protocol : server.address;
    page.on('console', (message) => {
      if (!failing && message.type() === 'error') problems.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
    page.on('request', (request) => {
      const address = request.url();
      const own = address.startsWith(allowed) || address.startsWith('blob:') || address.startsWith('data:');
      if (!own) problems.push(`request to another origin: ${address}`);
    });
    await page.goto((url ?? `${server.address}/`) + (hash ? `#${hash}` : ''));
    return page;
  }

  return {
    newContext,
    open,
    get server() {
      return server;
    },
  };
}

/** Waits until the scene can be stepped. */
export async function ready(page: Page): Promise<void> {
  await page.locator('.controls .primary:not(:disabled)').waitFor({ timeout: 60_000 });
  // The sections further down come after the model.
  await page.locator('#finish h2').waitFor();
}

/** The numbers of the decode scene as the screen shows them, without separators. */
export async function scene(page: Page) {
  const number = async (selector: string) => Number((await page.locator(selector).first().innerText()).replace(/[^\d.]/g, ''));
  return {
    step: await number('#decode .count .now'),
    with: await number('#decode .formula-with .value'),
    without: await number('#decode .formula-without .value'),
    chosen: await page.locator('#decode .strip .chosen').innerText(),
  };
}

export async function atStep(page: Page, step: number): Promise<void> {
  await page.waitForFunction((wanted) => document.querySelector('#decode .count .now')?.textContent === String(wanted), step, { timeout: 120_000 });
}

export const LANGUAGES = ['ko', 'zh', 'en'] as const;

/** Changes the scene as its address would, and waits until the page shows it. */
export async function show(page: Page, scene: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate((wanted) => {
    const [section = '', query] = location.hash.split('?');
    location.hash = `${section}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(query)), ...wanted })}`;
  }, scene);
  await page.waitForFunction(({ lang, theme }) => {
    const { lang: shown, dataset } = document.documentElement;
    return (!lang || lang === shown) && (!theme || theme === dataset.theme);
  }, scene);
  await painted(page);
}

/** A file chosen in the section's file field; it exists in memory alone. */
export async function give(page: Page, section: string, name: string, content: string | Buffer): Promise<void> {
  const file = { name, mimeType: 'application/json', buffer: Buffer.from(content) };
  await page.locator(`#${section} input[type=file]`).setInputFiles(file);
}

/** What changed before this call is laid out and drawn. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Contents by name. */
export type Files = Readonly<Record<string, string | Buffer>>;

export async function onDisk(paths: readonly string[]): Promise<Record<string, Buffer>> {
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [basename(path), await readFile(path)] as const)));
}

/** Drops files as a hand would, over the page or something in it; `over` stops before they are let go. */
export async function drop(page: Page, files: Files, target = 'body', over = false): Promise<void> {
  const contents = Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('base64')] as const);
  const transfer = await page.evaluateHandle((given) => {
    const found = new DataTransfer();
    for (const [name, text] of given) {
      found.items.add(new File([Uint8Array.from(atob(text), (character) => character.charCodeAt(0))], name));
    }
    return found;
  }, contents);
  await page.dispatchEvent(target, 'dragover', { dataTransfer: transfer });
  if (!over) await page.dispatchEvent(target, 'drop', { dataTransfer: transfer });
}
