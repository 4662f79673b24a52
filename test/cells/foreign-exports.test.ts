import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import {
  alterExport,
  firstAs,
  jsonAs,
  rowsAs,
  type Changes,
  type ExportedRow,
} from '../support/alter-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { storeImages } from '../support/store-images.ts';

/** What a domain has, by the names that tests use. */
interface Ids {
  domain: number;
  unit: number;
  dept: number;
  user: number;
  workspace: string;
  dataset: string;
  project: string;
  image: string;
  archive: string;
}

const folder = mkdtempSync(join(tmpdir(), 'trivium-foreign-'));
const inFolder = (name: string): string => join(folder, name);
const rest = { signal: new AbortController().signal, onProgress: (): void => undefined };
const [whole, later] = [inFolder('whole.tar'), inFolder('later.tar')];
let here: TestApp;
let there: TestApp;
let acme: Ids;
let other: Ids;

async function stored({ services }: TestApp, key: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of services.storage.get(key)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function store({ services: { storage } }: TestApp, key: string, text: string): Promise<void> {
  const bytes = (async function* () {
    await Promise.resolve();
    yield Buffer.from(text);
  })();
  await storage.put(await storage.stage(bytes), key);
}

/** Makes a domain with a bit of everything that names something else. */
async function fill(app: TestApp, name: string, feedKey: number): Promise<Ids> {
  const domain = { domain: name };
  await app.load([
    { record: 'domain', name },
    { record: 'unit', ...domain, name: 'Berlin' },
    { record: 'dept', ...domain, name: 'Bakery' },
    { record: 'user', ...domain, login: name, depts: [{ name: 'Bakery', home: true }] },
    { record: 'feed', ...domain, kind: 'TASK', unit: 'Berlin', feed_key: feedKey, feed_title: 'x' },
  ]);
  await storeImages(app.services, name, [Buffer.from(`image of ${name}`)]);
  const { prisma } = app.services.db;
  const { id: domainId } = await prisma.domain.findUniqueOrThrow({ where: { name } });
  const [unit, dept, user, workspace] = await Promise.all([
    prisma.unit.findFirstOrThrow({ where: { domainId } }),
    prisma.dept.findFirstOrThrow({ where: { domainId } }),
    prisma.user.findFirstOrThrow({ where: { domainId } }),
    prisma.workspace.findFirstOrThrow({
      where: { domainId },
      include: { blobs: true, datasets: true },
    }),
  ]);
  const [project, archive, createdAt] = [randomUUID(), randomUUID(), new Date()];
  const datasetId = workspace.datasets[0]?.id ?? '';
  await prisma.project.create({
    data: { id: project, workspaceId: workspace.id, name: 'p', description: '', createdAt },
  });
  await prisma.projectDataset.create({
    data: { projectId: project, datasetId, assignedAt: createdAt },
  });
  await store(app, `exports/${archive}`, `archive of ${name}`);
  const job = { id: archive, projectId: project, ownerId: user.id, filter: 'ALL', createdAt };
  await prisma.exportJob.create({ data: { ...job, storageKey: `exports/${archive}` } });
  return {
    ...{ domain: domainId, unit: unit.id, dept: dept.id, user: user.id, project },
    ...{ workspace: workspace.id, dataset: datasetId },
    image: workspace.blobs[0]?.storageKey ?? '',
    archive: `exports/${archive}`,
  };
}

beforeAll(async () => {
  const start = (cell: string): Promise<TestApp> =>
    startApp({ env: { CELL: cell, DATA_DIR: inFolder(cell) } });
  [here, there] = await Promise.all([start('1'), start('2')]);
  acme = await fill(here, 'acme', 1);
  other = await fill(there, 'other', 7);
  await exportDomain(here.services, { domain: 'acme', file: whole, ...rest });
  // Written again: so all of them come a second time.
  for (const [table, column] of [
    ['user_dept', 'is_home'],
    ['feed', 'version'],
    ['project_dataset', 'assigned_at'],
    ['export_job', 'filter'],
  ])
    await here.services.db.pool.query(`UPDATE ${table} SET ${column} = ${column}`);
  await exportDomain(here.services, { domain: 'acme', file: later, since: whole, ...rest });
}, 120_000);
afterEach(async () => {
  const found = await there.services.db.prisma.domain.findUnique({ where: { name: 'acme' } });
  if (found) await deleteDomain(there.services, { domain: 'acme', ...rest });
});
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Imports an export, with other entries. */
async function bring(from: string, changes: Changes, hold = true): Promise<{ files: number }> {
  const file = await alterExport(from, inFolder('altered.tar'), changes);
  return importDomain(there.services, { file, hold, ...rest });
}

const rows = (table: string): string => `rows/${table}/000001.ndjson`;
const damaged = (message: string): object => ({
  name: 'DamagedDomainFileError',
  message: expect.stringContaining(message),
});
const refused = (message: string): object => ({
  code: 'E900',
  message: expect.stringContaining(message),
});
const isHere = async (): Promise<boolean> =>
  (await there.services.db.prisma.domain.count({ where: { name: 'acme' } })) > 0;

it('a database without a number takes no keys of cells, which it would go on with', async () => {
  const plain = await startApp({ env: { DATA_DIR: inFolder('plain') } });
  onTestFinished(() => plain.close());
  await expect(
    importDomain(plain.services, { file: whole, hold: false, ...rest }),
  ).rejects.toMatchObject({
    name: 'CellNumberError',
    message: expect.stringContaining('give it a number first'),
  });
  expect(await plain.services.db.prisma.domain.count()).toBe(0);
});

describe('files of the storage', () => {
  it('are stored again unless their key says what they are', async () => {
    const text = await stored(here, acme.archive);
    await store(there, acme.archive, 'x'.repeat(text.length));
    await expect(bring(whole, { [rows('dept')]: () => '' })).rejects.toMatchObject(
      damaged('its rows of dept have other columns'),
    );
    expect(await stored(there, acme.archive)).toBe(text);
    await store(there, acme.archive, 'y'.repeat(text.length));
    expect(await bring(whole, {})).toMatchObject({ files: 1 });
    expect(await stored(there, acme.archive)).toBe(text);
    expect(await stored(there, acme.image)).toBe('image of acme');
  });

  it('never replace those of another domain, and none comes into its folder', async () => {
    for (const key of [other.archive, other.image, `${other.workspace}/aa/new`])
      await expect(bring(whole, { [`files/${key}`]: () => 'stolen' })).rejects.toMatchObject(
        refused(`its file ${key} is one of another domain here`),
      );
    await expect(bring(whole, { 'files/else/x': () => 'x' })).rejects.toMatchObject(
      damaged('it has a file of an unusable name else/x'),
    );
    expect(await stored(there, other.archive)).toBe('archive of other');
    expect(await stored(there, other.image)).toBe('image of other');
    expect(await there.services.storage.stat(`${other.workspace}/aa/new`)).toBeUndefined();
    expect(await isHere()).toBe(false);
  });

  it('are named by rows of their own kind and workspace only', async () => {
    for (const [table, key] of [
      ['export_job', other.image],
      ['blob', other.image],
      ['blob', other.archive],
    ] as const)
      await expect(
        bring(whole, { [rows(table)]: firstAs({ storage_key: key }) }),
      ).rejects.toMatchObject(damaged(`a row of ${table} names the file ${key}, which is not its`));
    await expect(
      bring(whole, { [rows('export_job')]: firstAs({ storage_key: other.archive }) }),
    ).rejects.toMatchObject(refused('a row of export_job with the storage_key'));
    expect(await isHere()).toBe(false);
  });
});

describe('rows', () => {
  it('come to no other domain', async () => {
    const added = rowsAs((all) => [
      ...all,
      { ...all[0], id: '77', domain_id: String(other.domain), name: 'Spy', name_fold: 'spy' },
    ]);
    for (const count of [1, 2])
      await expect(
        bring(whole, {
          [rows('dept')]: added,
          'end.json': jsonAs((it) => ({ ...it, counts: { ...it.counts, dept: count } })),
        }),
      ).rejects.toMatchObject(damaged('2 rows of dept came'));
    let depts = '';
    await bring(whole, { [rows('dept')]: (text) => (depts = text) });
    await expect(bring(later, { [rows('dept')]: () => added(depts) })).rejects.toMatchObject(
      refused('a row of dept has the key of a row of another domain'),
    );
    const { prisma } = there.services.db;
    expect(await prisma.dept.count({ where: { domainId: other.domain } })).toBe(1);
  });

  const references: [string, (ids: Ids) => ExportedRow, string][] = [
    ['user_dept', ({ dept }) => ({ dept_id: String(dept) }), 'dept_id to a row of dept'],
    ['feed', ({ unit }) => ({ unit_id: String(unit) }), 'unit_id to a row of unit'],
    ['feed', ({ user }) => ({ owner_user_id: String(user) }), 'owner_user_id to a row of user'],
    ['feed', () => ({ parent_feed_key: '7' }), 'parent_feed_key to a row of feed'],
    ['project_dataset', ({ dataset }) => ({ dataset_id: dataset }), 'dataset_id to a row of'],
    ['export_job', ({ user }) => ({ owner_id: String(user) }), 'owner_id to a row of user'],
  ];

  it.each(references)('of %s refer to none of another domain', async (table, values, message) => {
    const changes = (): Changes => ({ [rows(table)]: firstAs(values(other)) });
    const expected = damaged(`a row of ${table} refers by ${message}`);
    await expect(bring(whole, changes())).rejects.toMatchObject(expected);
    expect(await isHere()).toBe(false);
    await bring(whole, {});
    await expect(bring(later, changes())).rejects.toMatchObject(expected);
    await bring(later, {}, false);
  });
});

describe('two commands at once', () => {
  const codes = (ended: readonly PromiseSettledResult<unknown>[]): unknown[] =>
    ended.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { code?: string }).code] : [],
    );

  it('import the second export once', async () => {
    await bring(whole, {});
    const again = (): Promise<object> =>
      importDomain(there.services, { file: later, hold: false, ...rest });
    expect(codes(await Promise.allSettled([again(), again()]))).toEqual(['E900']);
    const { prisma } = there.services.db;
    expect(await prisma.domain.findUnique({ where: { name: 'acme' } })).toMatchObject({
      state: 'OPEN',
    });
    expect(await prisma.feed.count({ where: { domainId: acme.domain } })).toBe(1);
  });

  it('import and delete: one of them is refused', async () => {
    await bring(whole, {});
    const ended = await Promise.allSettled([
      importDomain(there.services, { file: later, hold: false, ...rest }),
      deleteDomain(there.services, { domain: 'acme', ...rest }),
    ]);
    expect(codes(ended)).toEqual(['E900']);
    const [imported] = ended;
    const { prisma } = there.services.db;
    const left = await prisma.feed.count({ where: { domainId: acme.domain } });
    expect([await isHere(), left]).toEqual(
      imported.status === 'fulfilled' ? [true, 1] : [false, 0],
    );
  });
});
