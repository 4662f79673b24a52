import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql 16 ships index.js and index.mjs without `exports`: Vite takes the one, Node the other. One copy only.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // With packages of their own: npm run test:clients.
    exclude: ['**/node_modules/**', 'test/clients/**'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
