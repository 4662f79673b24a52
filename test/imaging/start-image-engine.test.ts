import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnusableImageError, type ImageEngine } from '../../src/core/context/imaging.ts';
import { BusyError } from '../../src/core/turns/limit-waiting.ts';
import type { OwnProgram } from '../../src/core/own-program.ts';
import { startImageEngine } from '../../src/imaging/start-image-engine.ts';
import { jpeg } from '../support/images.ts';

const options = {
  maxPixels: 268_402_689,
  maxBufferedPixels: 4_000_000,
  timeoutSeconds: 10,
  parallel: 1,
};
const standIn: OwnProgram = {
  file: new URL('../support/stand-in-reader.mjs', import.meta.url),
  args: [],
};

let folder: string;
const engines: ImageEngine[] = [];
const losses: string[] = [];
const start = (program?: OwnProgram): ImageEngine => {
  const engine = startImageEngine(options, {
    ...(program && { program }),
    onLost: ({ message }) => losses.push(message),
  });
  engines.push(engine);
  return engine;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-imaging-'));
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  losses.length = 0;
  await rm(folder, { recursive: true });
});

/** What the stand-in says of its process. */
const facts = async (
  engine: ImageEngine,
  name = 'any',
): Promise<{ pid: number; priority: number; environment: string[] }> =>
  (await engine.inspect(join(folder, name))).type as never;
const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('users take turns: nobody waits for all images of another one', async () => {
  const engine = start(standIn);
  const read: number[] = [];
  const inspect = async (userId: number): Promise<void> => {
    await engine.inspect(join(folder, 'any'), userId);
    read.push(userId);
  };
  await Promise.all([1, 1, 1, 1, 1, 1, 2, 2, 3].map(inspect));
  expect(read.slice(0, 5)).toEqual([1, 1, 2, 1, 3]);
  expect(read.slice(5).sort()).toEqual([1, 1, 1, 2]);
});

test('reads images, and refuses what the reader refuses', async () => {
  const engine = start();
  await writeFile(join(folder, 'image'), await jpeg());
  await writeFile(join(folder, 'text'), 'text');
  const found = await engine.inspect(join(folder, 'image'));
  expect([
    found.type,
    Buffer.isBuffer(found.thumbnail),
    found.thumbnail.subarray(0, 2).toString('hex'),
  ]).toEqual(['jpeg', true, 'ffd8']);
  expect([
    await engine.isImage(join(folder, 'image')),
    await engine.isImage(join(folder, 'text')),
  ]).toEqual([true, false]);
  const refusal = await engine.inspect(join(folder, 'text')).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UnusableImageError);
  expect(refusal).toMatchObject({ code: 'UNSUPPORTED_IMAGE_TYPE' });
});

test('an image whose turn does not come in time is given up, and is not read later', async () => {
  const engine = startImageEngine(options, { program: standIn, waitMs: 50 });
  engines.push(engine);
  // Two are read at once, and never end.
  const endless = [1, 2].map((n) => engine.inspect(join(folder, `${n}-endless`)));
  const ended = Promise.allSettled(endless);
  await expect(engine.inspect(join(folder, 'deadly-once'))).rejects.toBeInstanceOf(BusyError);
  await engine.close();
  await ended;
  expect(existsSync(join(folder, 'deadly-once.seen'))).toBe(false);
});

test('one process for all, behind the gateway in line, without the environment of the gateway', async () => {
  process.env['DATABASE_PASSWORD_OF_A_TEST'] = 'secret';
  const engine = start(standIn);
  const [one, other] = await Promise.all([facts(engine), facts(engine)]);
  expect(one.pid).toBe(other.pid);
  expect(one.priority).toBeGreaterThan(0);
  expect(one.environment).not.toContain('DATABASE_PASSWORD_OF_A_TEST');
  delete process.env['DATABASE_PASSWORD_OF_A_TEST'];
});

test('an image that ends its process is refused; those beside it and after it are read', async () => {
  const engine = start(standIn);
  const before = await facts(engine);
  const outcomes = await Promise.allSettled(
    ['a', 'deadly', 'b', 'c'].map((name) => facts(engine, name)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(outcomes[1]).toMatchObject({
    reason: { name: 'UnusableImageError', code: 'INVALID_IMAGE' },
  });
  expect(await engine.isImage(join(folder, 'deadly'))).toBe(true);
  expect((await facts(engine)).pid).not.toBe(before.pid);
});

test('replies that are none do no harm, and are not waited for', async () => {
  const engine = start(standIn);
  await expect(facts(engine, 'hostile')).resolves.toMatchObject({ pid: expect.any(Number) });
});

test('an image is read again when its process is killed', async () => {
  await expect(facts(start(standIn), 'deadly-once')).resolves.toMatchObject({
    priority: expect.any(Number) as number,
  });
  expect(losses).toEqual([expect.stringContaining('SIGKILL')]);
});

test('a program that does not start is no fault of the image', async () => {
  const missing = start({
    file: new URL('./no-such-program.js', import.meta.url),
    args: [],
  });
  await expect(facts(missing)).rejects.toThrow('does not start');
  await expect(facts(missing)).rejects.not.toBeInstanceOf(UnusableImageError);
});

test('a process that is never ready is given up, and is no fault of the image', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const given = expect(facts(start({ ...standIn, args: ['mute'] }))).rejects;
    vi.advanceTimersByTime(60_000);
    await given.toThrow('does not start');
  } finally {
    vi.useRealTimers();
  }
});

test('closing ends the process and what it was doing', async () => {
  const engine = start(standIn);
  const { pid } = await facts(engine);
  const endless = facts(engine, 'endless').catch((error: unknown) => String(error));
  await engine.close();
  expect([lives(pid), await endless]).toEqual([false, expect.stringContaining('ended')]);
  await expect(facts(engine)).rejects.toThrow('closed');
});

test('closing ends what is read again, and nothing starts afterwards', async () => {
  const engine = start(standIn);
  const outcomes = Promise.allSettled(
    ['deadly-once', 'endless'].map((name) => facts(engine, name)),
  );
  await vi.waitFor(() => expect(losses).toHaveLength(2), 20_000);
  await engine.close();
  expect(
    (await outcomes)
      .filter(({ status }) => status === 'rejected')
      .map((outcome) => (outcome as PromiseRejectedResult).reason as Error),
  ).not.toContainEqual(expect.any(UnusableImageError));
  expect((await outcomes)[1]?.status).toBe('rejected');
});

test('an image that never comes to an end is given up', async () => {
  const engine = startImageEngine({ ...options, timeoutSeconds: 1 }, { program: standIn });
  engines.push(engine);
  expect(await facts(engine, 'endless').catch((error: unknown) => error)).toMatchObject({
    name: 'UnusableImageError',
    code: 'INVALID_IMAGE',
  });
  await expect(facts(engine)).resolves.toMatchObject({});
}, 30_000);

test('a process without jobs ends, and the next job starts another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const engine = start(standIn);
    const { pid } = await facts(engine);
    vi.advanceTimersByTime(59_000);
    expect((await facts(engine)).pid).toBe(pid);
    vi.advanceTimersByTime(59_000);
    expect(lives(pid)).toBe(true);
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(lives(pid)).toBe(false), 20_000);
    expect((await facts(engine)).pid).not.toBe(pid);
  } finally {
    vi.useRealTimers();
  }
});
