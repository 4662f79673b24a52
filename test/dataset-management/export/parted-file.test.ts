import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { partedFile } from '../../../src/dataset-management/export/files/archive-file.ts';

it('a file of an archive that takes long to make lets others have their turns', async () => {
  let turns = 0;
  const made: number[] = [];
  const parts = function* (): Generator<string> {
    for (const part of ['é', 'b', 'c']) {
      made.push(turns);
      setImmediate(() => turns++);
      for (const begun = performance.now(); performance.now() - begun < 20;);
      yield part;
    }
  };
  const file = await partedFile('labels/a.txt', parts());
  expect(made).toEqual([0, 1, 2]);
  expect([file.name, file.size, String(file.bytes)]).toEqual(['labels/a.txt', 4, 'ébc']);
  expect(file.sha256).toBe(createHash('sha256').update('ébc').digest('hex'));
});
