import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InProgress } from '../../src/core/in-progress.ts';

it('has the items that were added and not removed, however often and in whatever order they are removed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (steps) => {
      const all = new InProgress<object>();
      const added: { item: object; end: () => void; ended: boolean }[] = [];
      for (const step of steps) {
        const one = added[step];
        if (one) {
          one.end();
          one.ended = true;
        } else {
          const item = {};
          added.push({ item, end: all.add(item), ended: false });
        }
        const left = added.filter(({ ended }) => !ended).map(({ item }) => item);
        expect(all.size).toBe(left.length);
        expect(new Set(all)).toEqual(new Set(left));
        for (const item of all) expect(left.includes(item)).toBe(true);
      }
    }),
  );
});
