import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fewAtOnce } from '../../src/core/wire/few-at-once.ts';

/** Each group that was handed over, and what ends it. */
let groups: { items: number[]; done: () => void }[] = [];
let add: (items: readonly number[]) => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  groups = [];
  add = fewAtOnce<number>(4, (items, done) => groups.push({ items, done }));
});
afterEach(() => void vi.useRealTimers());

const handedOver = (): number[][] => groups.map(({ items }) => items);

it('what comes alone is handed over at once', () => {
  add([1]);
  add([2, 3, 4, 5, 6]);
  expect(handedOver()).toEqual([[1], [2, 3, 4, 5], [6]]);
});

it('more than four groups wait for one that is answered, and share the next ones', () => {
  for (let n = 1; n <= 9; n++) add([n]);
  expect(handedOver()).toEqual([[1], [2], [3], [4]]);
  groups[2]?.done();
  expect(handedOver()).toEqual([[1], [2], [3], [4], [5, 6, 7, 8]]);
  groups[4]?.done();
  expect(handedOver().slice(5)).toEqual([[9]]);
});

it('nothing waits long behind slow ones', () => {
  for (let n = 1; n <= 6; n++) add([n]);
  vi.advanceTimersByTime(19);
  add([7]);
  expect(groups).toHaveLength(4);
  vi.advanceTimersByTime(1);
  expect(handedOver().slice(4)).toEqual([[5, 6, 7]]);
  // A slow one that ends makes no room twice.
  groups[0]?.done();
  for (let n = 8; n <= 11; n++) add([n]);
  expect(handedOver().slice(5)).toEqual([[8], [9], [10]]);
});

it('many do not wait, and every one is handed over once, in order', () => {
  const all = Array.from({ length: 100 }, (_, n) => n);
  add(all);
  expect(handedOver().flat()).toEqual(all.slice(0, 84));
  vi.advanceTimersByTime(20);
  expect(handedOver().flat()).toEqual(all);
  expect(vi.getTimerCount()).toBe(0);
});
