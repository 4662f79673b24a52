import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { findDomain } from '../../src/cells/find-domain.ts';
import { lockDomain, unlockDomain } from '../../src/cells/lock-domain.ts';
import { closeDomain } from '../../src/cells/set-state.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-delete-'));
const acme = {
  domain: 'acme',
  signal: new AbortController().signal,
  onProgress: (): void => undefined,
};
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { DATA_DIR: folder } });
  await app.load([
    { record: 'domain', name: 'acme' },
    { record: 'user', domain: 'acme', login: 'ana' },
  ]);
}, 120_000);
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const stateOf = async (): Promise<string> => (await findDomain(app.services.db, 'acme')).state;

it('closes no domain whose state has changed since it was found', async () => {
  const { db } = app.services;
  const found = await findDomain(db, 'acme');
  await lockDomain(app.services, 'acme');
  await expect(closeDomain(db, found, 'LEAVING')).rejects.toMatchObject({
    code: 'E900',
    message: 'another command is changing the domain "acme": try again when it has ended',
  });
  expect(await stateOf()).toBe('LOCKED');
  await unlockDomain(app.services, 'acme');
});

it('goes on with a deletion that was stopped, up to its last step, and leaves one entry of it', async () => {
  const { services } = app;
  const token = await app.signedIn('ana');
  const stop = new AbortController();
  const stopped = deleteDomain(services, {
    ...acme,
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('stopped')),
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await stateOf()).toBe('LEAVING');
  expect((await app.rest('/task/v1/feeds/list?view_type=SV', token)).status).toBe(503);
  for (const refused of [
    () => lockDomain(services, 'acme'),
    () => unlockDomain(services, 'acme'),
    () => exportDomain(services, { ...acme, file: join(folder, 'acme.tar') }),
  ])
    await expect(refused()).rejects.toMatchObject({
      code: 'E900',
      message: 'domain "acme" is being deleted: `domain delete` goes on with it',
    });
  const atItsEnd = deleteDomain(
    {
      ...services,
      clock() {
        throw new Error('killed');
      },
    },
    acme,
  );
  await expect(atItsEnd).rejects.toThrow('killed');
  expect(await stateOf()).toBe('LEAVING');
  await deleteDomain(services, acme);
  const { prisma } = services.db;
  expect(await prisma.domain.count()).toBe(0);
  const entries = await prisma.auditLog.findMany({ where: { action: 'deleteDomain' } });
  expect(entries).toMatchObject([{ domainId: null, outcome: 'DONE' }]);
});

it('goes on beside another command that deletes the same domain', async () => {
  const { services } = app;
  await app.load([
    ...organisation,
    ...Array.from({ length: 2_500 }, (_, n) => feed(n + 1, { assignments: [{ user: 'ana' }] })),
  ]);
  let second: ReturnType<typeof deleteDomain> | undefined;
  const first = await deleteDomain(services, {
    ...acme,
    onProgress() {
      second ??= deleteDomain(services, acme);
    },
  });
  expect(first.rows + ((await second)?.rows ?? 0)).toBeGreaterThan(5_000);
  expect(await services.db.prisma.domain.count({ where: { name: 'acme' } })).toBe(0);
});
