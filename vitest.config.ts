import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{server,sandbox,storefront,console,bench,scripts}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['server/test/support/global-setup.ts'],
  },
});
