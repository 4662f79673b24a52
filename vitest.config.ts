import { availableParallelism, totalmem } from 'node:os';
import { register } from 'tsx/esm/api';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// The global set-up uses the sources, in this process.
register();

// Large pages for buffers, in the processes that this one starts, where their C library is glibc. A worker has gigabytes of buffers. With small
// pages, each process that it starts takes it longer, and so does each page that it writes to for the first time afterwards.
process.env['GLIBC_TUNABLES'] ??= 'glibc.malloc.hugetlb=1';

// Most code runs too seldom in tests to be worth optimising: six times Node 20's own limit. Later ones count otherwise.
const lateOptimising = process.version.startsWith('v20.') ? ['--interrupt-budget=400000'] : [];

export default defineConfig({
  // graphql 16 ships index.js and index.mjs without `exports`: Vite takes the one, Node the other. One copy only.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // With packages of their own: npm run test:clients.
    exclude: ['**/node_modules/**', 'test/clients/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/before-files.ts', 'test/support/between-files.ts'],
    // Nothing takes as long, but where the machine is busy with much else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes: on a busy machine later than in the one second that is vitest's own limit.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // One more than processors, because a fifth of the time is waiting; a worker takes 2 to 3 GB.
    maxWorkers: Math.max(2, Math.min(4, availableParallelism() + 1, Math.floor(totalmem() / 4e9))),
    // Node itself loads the sources, by tsx: what Vite has rewritten is loaded in twice the time and runs more slowly. Only Vite
    // sees their changes, for `npx vitest` that runs on.
    server: { deps: { external: process.argv.includes('run') ? [/\/src\/.*\.ts$/] : [] } },
    // Memory for time: they clean up young memory less often.
    execArgv: ['--import=tsx', '--max-semi-space-size=64', ...lateOptimising],
    // The files of a worker share its modules, which take longer to load than most files take: see between-files.ts.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
