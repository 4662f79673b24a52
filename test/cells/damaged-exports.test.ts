import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTar } from '../../src/cells/archive/tar-reader.ts';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import { alterExport, firstAs, jsonAs, rowsAs, type Changes } from '../support/alter-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { leftOfDomains } from '../support/rows-left.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-damaged-'));
const inFolder = (name: string): string => join(folder, name);
const rest = { signal: new AbortController().signal, onProgress: (): void => undefined };
const [whole, later] = [inFolder('whole.tar'), inFolder('later.tar')];
let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  const start = (cell: string): Promise<TestApp> =>
    startApp({ env: { CELL: cell, DATA_DIR: inFolder(cell) } });
  [here, there] = await Promise.all([start('1'), start('2')]);
  const feed = { record: 'feed', domain: 'acme', kind: 'TASK', unit: 'Berlin' };
  await here.load([
    { record: 'domain', name: 'acme' },
    { record: 'unit', domain: 'acme', name: 'Berlin' },
    { record: 'dept', domain: 'acme', name: 'Bakery' },
    { record: 'user', domain: 'acme', login: 'ana', depts: [{ name: 'Bakery', home: true }] },
    { ...feed, feed_key: 1, feed_title: 'Sweep' },
    { ...feed, feed_key: 2, feed_title: 'Mop' },
  ]);
  await exportDomain(here.services, { domain: 'acme', file: whole, ...rest });
  const { prisma } = here.services.db;
  await prisma.user.update({ where: { login: 'ana' }, data: { displayName: 'Ana' } });
  await exportDomain(here.services, { domain: 'acme', file: later, since: whole, ...rest });
}, 120_000);
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Imports an export with other entries. */
async function bring(from: string, changes: Changes): Promise<object> {
  const file = await alterExport(from, inFolder('altered.tar'), changes);
  return importDomain(there.services, { file, hold: true, ...rest });
}

const rows = (table: string): string => `rows/${table}/000001.ndjson`;

describe('a file that its maker damaged', () => {
  it.each<[string, Changes, string]>([
    [
      'an id of its domain that PostgreSQL does not have',
      { 'domain.json': jsonAs((it) => ({ ...it, domain: { id: 2_147_483_648, name: 'acme' } })) },
      'its entry domain.json is not as it should be',
    ],
    [
      'a name of its domain with a NUL',
      { 'domain.json': jsonAs((it) => ({ ...it, domain: { ...it.domain, name: 'a\0b' } })) },
      'its entry domain.json is not as it should be',
    ],
    [
      'another name of its domain than the row has',
      { 'domain.json': jsonAs((it) => ({ ...it, domain: { ...it.domain, name: 'acne' } })) },
      'it says that its domain is "acne", and its row says "acme"',
    ],
    [
      'no row of its domain',
      {
        ...{ [rows('domain')]: rowsAs(() => []) },
        'end.json': jsonAs((it) => ({ ...it, counts: { ...it.counts, domain: 0 } })),
      },
      `its rows of unit can't be here: insert or update on table "unit" violates foreign key`,
    ],
    [
      'text for a number',
      { [rows('unit')]: firstAs({ id: 'x' }) },
      `its rows of unit can't be here: invalid input syntax for type integer: "x"`,
    ],
    [
      'too large a number',
      { [rows('unit')]: firstAs({ id: '2147483648' }) },
      `its rows of unit can't be here: value "2147483648" is out of range for type integer`,
    ],
    [
      'a NUL',
      { [rows('unit')]: firstAs({ name: 'a\0b' }) },
      `its rows of unit can't be here: invalid byte sequence`,
    ],
    [
      'no value where one has to be',
      { [rows('unit')]: firstAs({ name: null }) },
      `its rows of unit can't be here: null value in column "name"`,
    ],
    [
      'a value that a check refuses',
      { [rows('feed')]: firstAs({ kind: 'NONE' }) },
      `its rows of feed can't be here: new row for relation "feed" violates check constraint`,
    ],
    [
      'a reference to no row',
      { [rows('feed')]: firstAs({ unit_id: '77' }) },
      `its rows of feed can't be here: insert or update on table "feed" violates foreign key`,
    ],
    [
      'a reference to no row that is looked at only at the end',
      { [rows('feed')]: firstAs({ parent_feed_key: '77' }) },
      `its rows of feed can't be here: insert or update on table "feed" violates foreign key`,
    ],
    [
      'a value that no index takes',
      { [rows('user')]: firstAs({ login: Array.from({ length: 9_000 }, (_, n) => n).join() }) },
      `its rows of user can't be here: index row`,
    ],
    ['a row that is no JSON', { [rows('unit')]: (text) => `${text}{\n` }, 'a row of unit that is'],
    [
      'a row with fewer columns',
      { [rows('unit')]: (text) => `${text}["7"]\n` },
      'it has a row of unit that is none',
    ],
    [
      'more lines than an entry has',
      { [rows('unit')]: (text) => text + '\n'.repeat(1_001) },
      'its entry rows/unit/000001.ndjson has too many lines',
    ],
    [
      'an entry that is too large',
      { [rows('unit')]: (text) => text + ' '.repeat(64 * 1024 * 1024) },
      'its entry rows/unit/000001.ndjson is too large',
    ],
  ])('is refused with %s, and no row of it is written', async (_, changes, message) => {
    const coming = bring(whole, changes);
    await expect(coming).rejects.toThrow(message);
    await expect(coming).rejects.toMatchObject({ name: 'DamagedDomainFileError' });
    expect(await leftOfDomains(there.services)).toEqual({ tables: [], files: [] });
  });

  it('is refused with keys that are none, and what came first stays', async () => {
    await bring(whole, {});
    const { prisma } = there.services.db;
    for (const line of ['{', '1', '"a\\u0000b"']) {
      const coming = bring(later, { 'keys/user/000001.ndjson': (text) => `${text}${line}\n` });
      await expect(coming).rejects.toMatchObject({
        name: 'DamagedDomainFileError',
        message: expect.stringMatching(/rows? of user/),
      });
      expect(await prisma.user.findMany({ select: { displayName: true } })).not.toContainEqual({
        displayName: 'Ana',
      });
    }
    await bring(later, {});
    expect(await prisma.user.findFirst()).toMatchObject({ displayName: 'Ana' });
  });
});

describe('rows that are large', () => {
  const take = (file: string): Promise<object> =>
    exportDomain(here.services, { domain: 'acme', file, ...rest });
  const name = (login: string, length: number): Promise<unknown> =>
    here.services.db.pool.query(
      `UPDATE "user" SET given_name = repeat('x', $2::int) WHERE login = $1`,
      [login, length],
    );

  it('come in entries of their own', async () => {
    await here.load([{ record: 'user', domain: 'acme', login: 'bo' }]);
    for (const login of ['ana', 'bo']) await name(login, 1_900_000);
    await take(inFolder('large.tar'));
    const file = await open(inFolder('large.tar'));
    for await (const { size } of readTar(file)) expect(size).toBeLessThan(2_000_000);
    await file.close();
    await deleteDomain(there.services, { domain: 'acme', ...rest });
    await importDomain(there.services, { file: inFolder('large.tar'), hold: false, ...rest });
    const lengths = await there.services.db.pool.query('SELECT length(given_name) FROM "user"');
    expect(lengths.rows).toEqual([{ length: 1_900_000 }, { length: 1_900_000 }]);
  });

  it('are refused where no entry can have them', async () => {
    await name('bo', 64 * 1024 * 1024);
    await expect(take(inFolder('larger.tar'))).rejects.toThrow(/^a row of user has \d+ bytes/);
  }, 120_000);
});
