import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import { startApp, type TestApp } from '../support/app.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-swap-'));
const inFolder = (name: string): string => join(folder, name);
const rest = { signal: new AbortController().signal, onProgress: (): void => undefined };
let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  const start = (cell: string): Promise<TestApp> =>
    startApp({ env: { CELL: cell, DATA_DIR: inFolder(cell) } });
  [here, there] = await Promise.all([start('1'), start('2')]);
  await here.load([
    { record: 'domain', name: 'acme' },
    { record: 'user', domain: 'acme', login: 'ana' },
    { record: 'user', domain: 'acme', login: 'bo' },
  ]);
}, 120_000);
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = (file: string, since?: string): Promise<object> =>
  exportDomain(here.services, {
    ...{ domain: 'acme', file: inFolder(file) },
    ...rest,
    since: since === undefined ? undefined : inFolder(since),
  });
const bring = (file: string, hold: boolean): Promise<object> =>
  importDomain(there.services, { file: inFolder(file), hold, ...rest });

it('names what clashes where two users took the login of each other between two exports, and what to do', async () => {
  await take('first.tar');
  await bring('first.tar', true);
  const rename = async (from: string, to: string): Promise<unknown> =>
    here.services.db.prisma.user.update({ where: { login: from }, data: { login: to } });
  await rename('ana', 'nobody');
  await rename('bo', 'ana');
  await rename('nobody', 'bo');
  await take('rest.tar', 'first.tar');
  await expect(bring('rest.tar', false)).rejects.toThrow(
    /^a row of user with the login \((ana|bo)\) is here already, .* took each other's since the first export: .* delete the domain here and import a new export$/,
  );
  await deleteDomain(there.services, { domain: 'acme', ...rest });
  await take('new.tar');
  expect(await bring('new.tar', false)).toMatchObject({ open: true });
}, 120_000);
