import { defineConfig } from 'vitest/config';

/** Tests in Chromium, on what `npm run build` made. One after another: they measure, and the page uses both cores. */
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
