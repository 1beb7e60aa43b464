/**
 * Keeps the page for visits without a network. Every file is checked against the build's sum of it before it is kept,
 * and all or none are: a broken download leaves what was there, and the next visit tries again.
 */
const scope = self as unknown as ServiceWorkerGlobalScope;

/** [path, sum], written in by the build. Half a SHA-256 tells whether a file arrived whole. */
const files = JSON.parse('__FILES__') as [path: string, sum: string][];
const addressOf = (path: string) => new URL(path, scope.registration.scope).href;
const addresses = new Set(files.map(([path]) => addressOf(path)));

const PREFIX = 'minimind-lab-';
const cacheName = (async () => PREFIX + (await sumOf(new TextEncoder().encode(JSON.stringify(files)))))();

async function sumOf(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function keep(cache: Cache, path: string, sum: string): Promise<void> {
  const address = addressOf(path);
  if (await cache.match(address)) return;
  for (const mode of ['default', 'reload'] as const) {
    const response = await fetch(address, { cache: mode });
    const bytes = await response.clone().arrayBuffer();
    if (response.ok && (await sumOf(bytes)) === sum) return cache.put(address, response);
  }
  throw new Error(`${path} did not arrive whole`);
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(await cacheName);
  await Promise.all(files.map(([path, sum]) => keep(cache, path, sum)));
}

async function forgetOthers(): Promise<void> {
  const mine = await cacheName;
  for (const other of await caches.keys()) {
    if (other.startsWith(PREFIX) && other !== mine) await caches.delete(other);
  }
  await scope.clients.claim();
}

async function answer(request: Request, address: string): Promise<Response> {
  const cache = await caches.open(await cacheName);
  return (await cache.match(address)) ?? fetch(request);
}

scope.addEventListener('install', (event) => event.waitUntil(keepAll()));
scope.addEventListener('activate', (event) => event.waitUntil(forgetOthers()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  // The page asks who serves it (model/native.ts). That nobody does is an answer, not an error for the console.
  if (request.method === 'HEAD') event.respondWith(fetch(request).catch(() => new Response()));
  if (request.method !== 'GET') return;
  const [address = ''] = request.url.split(/[?#]/);
  const page = address === scope.registration.scope ? addressOf('index.html') : address;
  if (addresses.has(page)) event.respondWith(answer(request, page));
});
