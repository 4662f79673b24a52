import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { safeEntryName } from '../../../src/dataset-management/export/files/safe-entry-name.ts';
import { writeZip } from '../../../src/dataset-management/export/archive/write-zip.ts';
import {
  type ZipEntry,
  ZipEntryError,
} from '../../../src/dataset-management/export/files/zip-entry.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-zip-'));
});
afterAll(() => rm(folder, { recursive: true }));

const entry = (name: string, bytes: Buffer): ZipEntry => ({
  name,
  size: bytes.length,
  crc32: crc32(bytes),
  read: (target, position) => Promise.resolve(bytes.copy(target, 0, position)),
});
const archive = async (name: string, entries: Iterable<ZipEntry>): Promise<string> => {
  const path = join(folder, name);
  await pipeline(
    Readable.from(writeZip(Readable.from(entries), new Date('2026-01-02T03:04:06Z')), {
      objectMode: false,
    }),
    createWriteStream(path),
  );
  return path;
};
const LIST =
  'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); bad=z.testzip(); print(json.dumps([bad,[[i.filename,i.file_size,list(i.date_time)] for i in z.infolist()][:20],len(z.infolist())]))';
const python = (path: string): unknown =>
  JSON.parse(execFileSync('python3', ['-c', LIST, path]).toString());

describe('F222 archive', () => {
  test('opens with unzip and with zipfile of Python', async () => {
    const bytes = randomBytes(100_000);
    const path = await archive('plain.zip', [
      entry('project.json', Buffer.from('{}')),
      entry('images/d/ü שלום.jpg', bytes),
      entry('empty', Buffer.alloc(0)),
    ]);
    expect(execFileSync('unzip', ['-t', path]).toString()).toContain('No errors detected');
    expect(python(path)).toEqual([
      null,
      [
        ['project.json', 2, [2026, 1, 2, 3, 4, 6]],
        ['images/d/ü שלום.jpg', 100_000, [2026, 1, 2, 3, 4, 6]],
        ['empty', 0, [2026, 1, 2, 3, 4, 6]],
      ],
      3,
    ]);
    expect(execFileSync('unzip', ['-p', path, 'images/*'], { maxBuffer: 1e6 }).equals(bytes)).toBe(
      true,
    );
  });

  test('is an archive even without entries', async () => {
    expect(python(await archive('none.zip', []))).toEqual([null, [], 0]);
  });

  test('holds entries that are longer than what is read at once, and many that are shorter', async () => {
    const bodies = [
      3_000_000,
      1,
      524_288,
      700_001,
      ...Array.from({ length: 300 }, (_, index) => index * 37),
      1_048_576,
    ].map((size) => randomBytes(size));
    const late = (bytes: Buffer, index: number): ZipEntry => ({
      ...entry(`e${index}`, bytes),
      read: async (target, position) => (
        await sleep((index * 7) % 5),
        bytes.copy(target, 0, position)
      ),
    });
    const path = await archive('mixed.zip', bodies.map(late));
    expect(python(path)).toMatchObject([
      null,
      bodies.slice(0, 20).map((bytes, index) => [`e${index}`, bytes.length, expect.anything()]),
      bodies.length,
    ]);
    expect(
      execFileSync('unzip', ['-p', path, 'e3'], { maxBuffer: 1e7 }).equals(
        bodies[3] ?? Buffer.alloc(0),
      ),
    ).toBe(true);
  });

  test('reads no further than a little ahead of who takes it', async () => {
    let read = 0;
    const entries = Array.from({ length: 200 }, (_, index): ZipEntry => ({
      ...entry(`e${index}`, Buffer.alloc(100_000)),
      read: (target) => Promise.resolve((read += target.fill(0).length) && target.length),
    }));
    const zip = writeZip(Readable.from(entries), new Date());
    await zip.next();
    expect(read).toBeGreaterThan(100_000);
    expect(read).toBeLessThan(4_000_000);
    await zip.return(undefined);
  });

  test('holds more than 65,535 entries', async () => {
    const entries = function* (): Generator<ZipEntry> {
      for (let index = 0; index < 70_000; index++) yield entry(`f${index}`, Buffer.from('x'));
    };
    expect(python(await archive('many.zip', entries()))).toMatchObject([
      null,
      expect.anything(),
      70_000,
    ]);
  });

  test.skipIf(process.env.SLOW === undefined)(
    'holds more than 4 GiB, also in one entry (SLOW=1)',
    async () => {
      const block = Buffer.alloc(64 * 1024 * 1024);
      const blocks = 65;
      let sum = 0;
      for (let index = 0; index < blocks; index++) sum = crc32(block, sum);
      const large: ZipEntry = {
        name: 'large',
        size: block.length * blocks,
        crc32: sum,
        read: (target) => Promise.resolve(target.fill(0).length),
      };
      const path = await archive('large.zip', [large, entry('after', Buffer.from('after'))]);
      expect(python(path)).toMatchObject([
        null,
        [
          ['large', block.length * blocks, expect.anything()],
          ['after', 5, expect.anything()],
        ],
        2,
      ]);
      expect(execFileSync('unzip', ['-p', path, 'after']).toString()).toBe('after');
    },
    120_000,
  );

  test('breaks off when the bytes are not those announced', async () => {
    for (const wrong of [
      { size: 4 },
      { crc32: 1 },
      { read: () => Promise.reject(new ZipEntryError('lost')) },
    ]) {
      await expect(
        buffer(
          Readable.from(
            writeZip(Readable.from([{ ...entry('a', Buffer.from('abc')), ...wrong }]), new Date()),
          ),
        ),
      ).rejects.toThrow(ZipEntryError);
    }
  });
});

describe('safe entry names', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\temp\\x.png', 'C__temp_x.png'],
    ['a\0b\u0007.png', 'ab.png'],
    ['gpj.\u202eexe', 'gpj.exe'],
    ['שלום.jpg', 'שלום.jpg'],
    ['...', 'image'],
    ['', 'image'],
    [' trailing. ', 'trailing'],
    ['\ud800x.png', '\ufffdx.png'],
    [`${'x'.repeat(300)}.jpeg`, `${'x'.repeat(195)}.jpeg`],
    [`${'ü'.repeat(300)}.png`, `${'ü'.repeat(98)}.png`],
  ])('%j becomes %j', (name, expected) => {
    expect(safeEntryName(name)).toBe(expected);
  });
});
