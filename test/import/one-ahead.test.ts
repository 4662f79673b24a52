import { expect, test } from 'vitest';
import { oneAhead } from '../../src/import/one-ahead.ts';

test('reads the next item while one is used, and no further', async () => {
  const read: number[] = [];
  async function* source(): AsyncGenerator<number> {
    for (let item = 1; item <= 4; item++) {
      read.push(item);
      yield await Promise.resolve(item);
    }
  }
  const used: number[] = [];
  for await (const item of oneAhead(source())) {
    await new Promise(setImmediate);
    expect(read).toEqual([1, 2, 3, 4].slice(0, item + 1));
    used.push(item);
  }
  expect(used).toEqual([1, 2, 3, 4]);
});

test('throws what the source throws, after what came before', async () => {
  async function* source(): AsyncGenerator<number> {
    yield await Promise.resolve(1);
    throw new Error('the file is gone');
  }
  const used: number[] = [];
  await expect(async () => {
    for await (const item of oneAhead(source())) {
      await new Promise(setImmediate);
      used.push(item);
    }
  }).rejects.toThrow('the file is gone');
  expect(used).toEqual([1]);
});

test('does not wait for a source that gives nothing when the caller leaves', async () => {
  async function* source(): AsyncGenerator<number> {
    yield await Promise.resolve(1);
    await new Promise(() => {});
  }
  await expect(async () => {
    for await (const item of oneAhead(source())) throw new Error(`item ${item} is bad`);
  }).rejects.toThrow('item 1 is bad');
});
