import { defineConfig } from 'vitest/config';

/**
 * Tests in Chromium, on what `npm run build` made: two files at a time, as a page keeps hardly more than one core busy;
 * then those that measure how quick it is, alone.
 */
const ALONE = 'tests/browser/speed.test.ts';
const shared = { testTimeout: 180_000, hookTimeout: 180_000 };
export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'page', include: ['tests/browser/**/*.test.ts'], exclude: [ALONE], maxWorkers: 2, sequence: { groupOrder: 0 } } },
      { test: { ...shared, name: 'speed', include: [ALONE], maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
