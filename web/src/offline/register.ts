/** Starts the service worker, where there can be one: not from file://, not in a single file, not while developing. */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || import.meta.env.MODE === 'single') return;
  if (!('serviceWorker' in navigator) || !location.protocol.startsWith('http')) return;
  // It fetches every file: not while the reader waits for the first step. Without it the page works as well, only not offline.
  setTimeout(() => navigator.serviceWorker.register(new URL('sw.js', document.baseURI)).catch(() => undefined), 2000);
}
