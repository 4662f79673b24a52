import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockFolder } from '../../src/core/database/folder-lock.ts';
import { startApp } from '../support/app.ts';
import { triviumSync, type Ended } from '../support/trivium.ts';

const GENEROUS = 240_000;
let folder: string;
let data: string;
let backup: string;

/** Runs the command line on an embedded database; `limit` in blocks of 512 bytes bounds each file that it writes, as a full disk does. */
const trivium = (args: string[], env: Record<string, string> = {}, limit?: number): Ended =>
  triviumSync(args, { cwd: folder, env: { DATA_DIR: data, ...env }, limit });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-backup-'));
  data = join(folder, 'data');
  backup = join(folder, 'backup.tar.gz');
  writeFileSync(
    join(folder, 'work.ndjson'),
    '{"record":"domain","name":"d"}\n{"record":"user","domain":"d","login":"ana"}\n{"feed_key":1,"domain":"d","kind":"TASK","feed_title":"Kept"}\n',
  );
  expect(trivium(['import', 'work.ndjson'])).toMatchObject({ status: 0 });
  mkdirSync(join(data, 'blobs', 'objects', 'ab'), { recursive: true });
  writeFileSync(join(data, 'blobs', 'objects', 'ab', 'image'), Buffer.alloc(300_000, 7));
  expect(trivium(['backup', backup])).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/: \d+ files \(1 of images\), [\d.]+ MB, of 20\S+Z\n$/),
  });
}, GENEROUS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  'what is restored is what was backed up: the data, and images with their bytes',
  () => {
    const DATA_DIR = join(folder, 'restored');
    expect(trivium(['restore', backup], { DATA_DIR })).toMatchObject({ status: 0, stderr: '' });
    // As after a kill at its very end: what is there is whole, and the next restore must not take it for half.
    mkdirSync(join(DATA_DIR, 'restoring'));
    writeFileSync(join(DATA_DIR, 'restoring', 'moving'), join(DATA_DIR, 'blobs', 'objects'));
    expect(
      readFileSync(join(DATA_DIR, 'blobs', 'objects', 'ab', 'image')).equals(
        Buffer.alloc(300_000, 7),
      ),
    ).toBe(true);
    expect(trivium(['session', 'create', '--login', 'ana'], { DATA_DIR })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(readdirSync(DATA_DIR).sort()).toEqual(['blobs', 'pg', 'pg.complete']);
  },
  GENEROUS,
);

test(
  'positions from before a restore are refused, those from after it are not, however often it starts',
  async () => {
    const DATA_DIR = join(folder, 'restored-log');
    const position = async (dataDir: string, after = ''): Promise<[unknown, string]> => {
      const app = await startApp({ database: { kind: 'embedded', dataDir } });
      try {
        const { json, headers } = await app.rest(
          '/task/v1/feeds/list-latest?from_time=0',
          await app.signedIn('ana'),
          { headers: after === '' ? {} : { 'x-resume-cursor': after } },
        );
        return [json['errorCode'], headers.get('x-resume-cursor') ?? ''];
      } finally {
        await app.close();
      }
    };
    const [, before] = await position(data);
    expect(trivium(['restore', backup], { DATA_DIR })).toMatchObject({ status: 0 });
    expect((await position(DATA_DIR, before))[0]).toBe('E116');
    const [, own] = await position(DATA_DIR);
    expect((await position(DATA_DIR, own))[0]).toBe('E404');
  },
  GENEROUS,
);

describe('backup refuses', () => {
  test('a folder that a gateway uses, with exit code 4', () => {
    const release = lockFolder(data);
    try {
      expect(trivium(['backup', join(folder, 'second.tar.gz')])).toMatchObject({
        status: 4,
        stdout: '',
        stderr: expect.stringContaining(`process ${process.pid}`),
      });
    } finally {
      release();
    }
  });

  test.each([
    ['a server', {}, { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, /pg_dump/],
    ['an empty folder', {}, { DATA_DIR: '/nonexistent/data' }, /no embedded database/],
    ['a file that exists', { file: 'work.ndjson' }, {}, /exists/],
  ])('%s, with exit code 2', (_, { file = 'new.tar.gz' }: { file?: string }, env, reason) => {
    expect(
      trivium(['backup', join(folder, file)], env as unknown as Record<string, string>),
    ).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(reason) });
  });

  test(
    'to go on when the disk is full: one line, exit code 1, and nothing is left',
    () => {
      const { status, stdout, stderr } = trivium(['backup', join(folder, 'full.tar.gz')], {}, 100);
      expect([status, stdout, stderr]).toEqual([
        1,
        '',
        `no space for ${join(folder, 'full.tar.gz')}: nothing was kept\n`,
      ]);
      expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([]);
      expect(existsSync(join(data, 'lock'))).toBe(false);
    },
    GENEROUS,
  );
});

describe('restore refuses', () => {
  const attempt = (
    file: string,
    limit?: number,
  ): { status: number | null; stderr: string; left: string[] } => {
    const DATA_DIR = mkdtempSync(join(folder, 'attempt-'));
    const { status, stderr } = trivium(['restore', file], { DATA_DIR }, limit);
    return {
      status,
      stderr,
      left: readdirSync(DATA_DIR).filter(
        (name) => name !== 'blobs' || readdirSync(join(DATA_DIR, name)).length > 0,
      ),
    };
  };
  const damaged = (name: string, change: (tar: Buffer) => Buffer): string => {
    const file = join(folder, name);
    writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(backup))), { level: 1 }));
    return file;
  };

  test('an occupied folder, with exit code 2', () => {
    expect(trivium(['restore', backup])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/pg exists: restore into an empty DATA_DIR/),
    });
  });

  test('a file that is not there, with exit code 2', () => {
    expect(attempt(join(folder, 'nowhere.tar.gz'))).toMatchObject({
      status: 2,
      stderr: `${join(folder, 'nowhere.tar.gz')}: no such file or folder (ENOENT)\n`,
      left: [],
    });
  });

  test('a folder in place of the backup, with exit code 2', () => {
    expect(attempt(data)).toMatchObject({ status: 2, stderr: `${data} is a folder\n`, left: [] });
  });

  test(
    'what is no backup, a truncated one, and one with a changed byte, with exit code 3 and nothing left',
    () => {
      const cut = join(folder, 'cut.tar.gz');
      writeFileSync(cut, readFileSync(backup));
      truncateSync(cut, Math.floor(readFileSync(backup).length * 0.7));
      // The byte stands in the image, whose content tar does not check.
      const flipped = damaged('flipped.tar.gz', (tar) => {
        tar[tar.indexOf(Buffer.alloc(1_000, 7))] = 8;
        return tar;
      });
      const unfinished = damaged('unfinished.tar.gz', (tar) =>
        Buffer.concat([
          tar.subarray(0, Math.floor(tar.lastIndexOf('manifest.json\0') / 512) * 512),
          Buffer.alloc(1_024),
        ]),
      );
      const newer = damaged('newer.tar.gz', (tar) => {
        tar[tar.lastIndexOf('"format":1') + 9] = '2'.charCodeAt(0);
        return tar;
      });
      for (const [file, reason] of [
        [newer, /it is of format 2, which this version does not know/],
        [join(folder, 'work.ndjson'), /incorrect header/],
        [cut, /unexpected end/],
        [flipped, /blobs\/ab\/image is not what was backed up/],
        [unfinished, /its end is missing/],
      ] as const) {
        const { status, stderr, left } = attempt(file);
        expect([status, left, stderr.trim().split('\n').length]).toEqual([3, [], 1]);
        expect(stderr).toMatch(reason);
      }
    },
    GENEROUS,
  );

  test('names that lead out of the folder', () => {
    const header = Buffer.alloc(512);
    header.write('pg/../../evil');
    header.write('0000644\0', 100);
    header.write('00000000000\0', 124);
    header.write('00000000000\0', 136);
    header.write('        0', 148);
    header.write('ustar\x0000', 257);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    const file = join(folder, 'evil.tar.gz');
    writeFileSync(file, gzipSync(Buffer.concat([header, Buffer.alloc(1_024)])));
    expect(attempt(file)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('unusable name'),
      left: [],
    });
  });

  test('to go on when the disk is full: one line, exit code 1, and nothing is left', () => {
    const { status, stderr, left } = attempt(backup, 200);
    expect([status, stderr, left]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^no space in \\S+ or \\S+/blobs to restore ${backup}: nothing was kept\n$`),
      ),
      [],
    ]);
  });
});
