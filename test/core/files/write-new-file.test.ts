import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, expect, test } from 'vitest';
import { writeNewFile } from '../../../src/core/files/write-new-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-new-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what fails leaves no file, however soon it fails', async () => {
  const failing = Array.from({ length: 300 }, (_, number) => {
    const parts = function* () {
      if (number % 2 === 1) yield Buffer.from('half');
      throw new Error('no more');
    };
    return writeNewFile(join(folder, String(number)), (file) =>
      pipeline(Readable.from(parts()), file),
    );
  });
  for (const outcome of await Promise.allSettled(failing))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'no more' } });
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that is there stays as it is', async () => {
  const write = (text: string) =>
    writeNewFile(join(folder, 'file'), (file) => pipeline(Readable.from([text]), file));
  await write('first');
  await expect(write('second')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('first');
});
