import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ShareOfTurn } from '../../src/core/turns/share-of-turn.ts';

/** Works longer than a turn has time for. */
function work(): void {
  for (const begun = performance.now(); performance.now() - begun < 15;);
}

it('work that comes at once waits for later turns, in its order, once a turn has no time left', async () => {
  const share = new ShareOfTurn();
  expect(share.take()).toBeUndefined();
  work();
  const done: string[] = [];
  const waits = ['first', 'second'].map(async (name) => {
    const wait = share.take();
    expect(wait).toBeDefined();
    await wait;
    done.push(name);
    work();
  });
  expect(share.isFull).toBe(true);
  await Promise.resolve();
  expect(done).toEqual([]);
  await setImmediate();
  expect(done).toEqual(['first']);
  expect(share.isFull).toBe(true);
  await Promise.all(waits);
  expect(done).toEqual(['first', 'second']);
  await setImmediate();
  expect(share.isFull).toBe(false);
  expect(share.take()).toBeUndefined();
});
