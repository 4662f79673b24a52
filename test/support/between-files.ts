import { afterAll, expect, vi } from 'vitest';

// Before each test file: the files of a worker share its process and its modules, so each has to leave the process as it found it. What
// can be put back is put back; the rest fails the file that left it, not the one that comes after.

const lastingOf = (): Record<string, unknown> => ({
  folder: process.cwd(),
  exitCode: process.exitCode,
  listeners: Object.fromEntries(
    ['SIGTERM', 'SIGINT', 'uncaughtException', 'unhandledRejection'].map((name) => [
      name,
      process.listenerCount(name),
    ]),
  ),
});

/** Servers that listen, and child processes. */
const alive = (): string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind === 'TCPServerWrap' || kind === 'ProcessWrap');

const environment = { ...process.env };
const before = lastingOf();
const livingBefore = alive().length;

// Hooks run in the reverse order: this one after those of the file.
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  expect(lastingOf(), 'a test file leaves the process as it was').toEqual(before);
  const ended = (): void =>
    expect(
      alive().length,
      `a test file ends what it started: ${alive().join()}`,
    ).toBeLessThanOrEqual(livingBefore);
  await vi.waitFor(ended, { timeout: 10_000 });
});
