import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportAuditLog } from '../../src/accounts/audit/export-audit-log.ts';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { findDomain } from '../../src/cells/find-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import { openFilesystemStore } from '../../src/storage/filesystem.ts';
import { alterExport, jsonAs } from '../support/alter-export.ts';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { storeImages } from '../support/store-images.ts';

const DAY = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'trivium-cells-'));
const run = { signal: new AbortController().signal, onProgress: () => undefined };
let here: TestApp;
let there: TestApp;
beforeAll(async () => {
  here = await startApp({ env: { CELL: '1', DATA_DIR: join(folder, '1') } });
  there = await startApp({ env: { CELL: '2', DATA_DIR: join(folder, '2') } });
}, 240_000);
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a domain that moves in two steps has its counts of tasks, and its entries in the audit log are exported', async () => {
  // That cell is older: its ids are higher.
  for (let day = 19; day >= 0; day--)
    for (let n = 0; n < 5; n++)
      await there.services.db.prisma.auditLog.create({
        data: { actor: 'operator', action: 'test', at: new Date(NOON - day * DAY) },
      });
  await here.load(organisation);
  const below = { kind: 'TASK', parent_feed_key: 1, status: 'P' };
  await here.load([feed(1, { kind: 'PROJECT' }), ...[2, 3, 4].map((key) => feed(key, below))]);
  const [whole, since] = [join(folder, 'whole'), join(folder, 'since')];
  await exportDomain(here.services, { domain: 'acme', file: whole, ...run });
  await importDomain(there.services, { file: whole, hold: true, ...run });

  const sql = (app: TestApp, text: string): Promise<unknown[][]> => app.services.db.rows(text, []);
  await sql(here, `UPDATE feed SET status = 'C' WHERE feed_key = 2`);
  await sql(here, 'DELETE FROM feed WHERE feed_key = 4');
  await here.load([feed(5, below), feed(6, below)]);
  await sql(here, `UPDATE domain SET state = 'LOCKED' WHERE name = 'acme'`);
  await exportDomain(here.services, { domain: 'acme', file: since, since: whole, ...run });
  await importDomain(there.services, { file: since, hold: false, ...run });

  const counts = 'SELECT task_count, feed_task_count FROM feed WHERE feed_key = 1';
  expect(await sql(there, counts)).toEqual([['3', '4']]);
  const entries = await sql(
    there,
    `SELECT a.id FROM audit_log a JOIN domain d ON d.id = a.domain_id WHERE d.name = 'acme' ORDER BY a.at, a.id`,
  );
  const exported: string[] = [];
  for (let after: { at: string; id: number } | undefined; ;) {
    const step = { days: 5, domain: 'acme', after, limit: 1 };
    const [entry] = await exportAuditLog(there.services, step);
    if (!entry) break;
    exported.push(String(entry.id));
    after = entry;
  }
  expect(entries.length).toBeGreaterThan(2);
  expect(exported).toEqual(entries.map(([id]) => id));
}, 240_000);

it('a workspace whose key was never used before the first export keeps the one that it is given after it', async () => {
  const eve = await here.signedIn('eve');
  const made = await here.gql(
    'mutation { createWorkspace(input: { name: "Photos" }) { ... on CreateWorkspacePayload { workspace { uuid } } } }',
    {},
    eve,
  );
  const { uuid } = made.data.createWorkspace.workspace;
  const keyIn = async (app: TestApp): Promise<unknown> => {
    const query = 'query ($uuid: UUID!) { workspace(uuid: $uuid) { archivePublicKey } }';
    return (await app.gql(query, { uuid }, eve)).data.workspace.archivePublicKey;
  };
  const [whole, since] = [join(folder, 'first'), join(folder, 'rest')];
  await here.services.db.prisma.installationSecret.deleteMany();
  await exportDomain(here.services, { domain: 'rival', file: whole, ...run });
  await importDomain(there.services, { file: whole, hold: true, ...run });
  const key = await keyIn(here);
  expect(key).toMatch(/=$/);
  await exportDomain(here.services, { domain: 'rival', file: since, since: whole, ...run });
  await importDomain(there.services, { file: since, hold: false, ...run });
  expect(await keyIn(there)).toBe(key);
}, 240_000);

it('a domain that is brought back as it was keeps nothing of what it had since, and positions of then are refused', async () => {
  const file = join(folder, 'kept');
  const records = (value: string): object => ({
    ...{ record: 'config', scope: 'DOMAIN', domain: 'rival', key: 'no_records', value },
  });
  const eve = await here.signedIn('eve');
  const listed = async () => (await here.rest('/task/v1/config/list', eve)).json;
  const cursor = async (): Promise<string> =>
    (await here.gql('{ viewer { feeds { changeCursor } } }', {}, eve)).data.viewer.feeds
      .changeCursor;
  await here.load([records('31')]);
  await exportDomain(here.services, { domain: 'rival', file, ...run });
  for (const day of [1, 2]) {
    await here.load([records('32')]);
    expect(await listed()).toMatchObject({ config_list: { no_records: '32' } });
    const before = { 'x-resume-cursor': await cursor() };
    await deleteDomain(here.services, { domain: 'rival', ...run });
    here.setTime(NOON + day * 60_000);
    await importDomain(here.services, { file, hold: false, ...run });
    expect(await listed()).toMatchObject({ config_list: { no_records: '31' } });
    const poll = await here.rest('/task/v1/feeds/list-latest', eve, { headers: before });
    expect(poll.json).toMatchObject({ errorCode: 'E116' });
  }
}, 240_000);

it('the second step of a move is refused where the storage is another one than that of the first', async () => {
  await here.load([{ record: 'domain', name: 'pictures' }]);
  const domain = 'pictures';
  await storeImages(here.services, domain, [Buffer.from('first')]);
  const [whole, since] = [join(folder, 'pictures'), join(folder, 'pictures-rest')];
  await exportDomain(here.services, { domain, file: whole, ...run });
  await importDomain(there.services, { file: whole, hold: true, ...run });
  await storeImages(here.services, domain, [Buffer.from('second')]);
  await exportDomain(here.services, { domain, file: since, since: whole, ...run });
  const { services } = there;
  const storage = openFilesystemStore(join(folder, 'elsewhere'));
  const rest = { file: since, hold: false, ...run };
  await expect(importDomain({ ...services, storage }, rest)).rejects.toMatchObject({
    code: 'E900',
    message: expect.stringMatching(/^the storage has no file of the export before: /),
  });
  expect((await findDomain(services.db, domain)).state).toBe('ARRIVING');
  expect(await importDomain(services, rest)).toMatchObject({ open: true, files: 1 });
}, 240_000);

it('an export whose file can not be opened leaves the next one free to write it', async () => {
  const file = join(folder, 'blocked');
  const data = join(`${file}.partial`, 'data');
  mkdirSync(data, { recursive: true });
  const again = () => exportDomain(here.services, { domain: 'acme', file, ...run });
  await expect(again()).rejects.toThrow('EISDIR');
  rmdirSync(data);
  expect((await again()).rows).toBeGreaterThan(0);
});

it('an export of what a restored database has not seen yet is none that later changes can be told from', async () => {
  const [whole, ahead] = [join(folder, 'of-now'), join(folder, 'ahead')];
  await exportDomain(here.services, { domain: 'acme', file: whole, ...run });
  await alterExport(whole, ahead, {
    'end.json': jsonAs((end) => ({ ...end, snapshot: { ...end.snapshot, xmin: '1'.repeat(18) } })),
  });
  const take = (since: string) =>
    exportDomain(here.services, { domain: 'acme', file: `${since}.rest`, since, ...run });
  await expect(take(ahead)).rejects.toMatchObject({
    code: 'E900',
    message: expect.stringContaining('of this one before it was restored'),
  });
  await take(whole);
});
