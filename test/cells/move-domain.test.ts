import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import { belongsSql } from '../../src/core/database/copy/row-sql.ts';
import { domainTables } from '../../src/core/database/copy/domain-tables.ts';
import { loadDatasetDemo } from '../../src/import/load-dataset-demo.ts';
import { loadDemo } from '../../src/import/load-demo.ts';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { leftOfDomains } from '../support/rows-left.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-cells-'));
const signal = new AbortController().signal;
const onProgress = (): void => undefined;
const inFolder = (name: string): string => join(folder, name);

let [here, there]: TestApp[] = [];
let token = '';

const start = (cell: string): Promise<TestApp> =>
  startApp({ env: { CELL: cell, DATA_DIR: inFolder(`data-${cell}`) } });

beforeAll(async () => {
  [here, there] = await Promise.all([start('1'), start('2')]);
  await loadDemo(here.services);
  await loadDatasetDemo(here.services);
  // The installation's own: the same in every cell.
  const { configEntry } = here.services.db.prisma;
  const data = await configEntry.findMany({ where: { scope: 'SYSTEM' } });
  await there.services.db.prisma.configEntry.createMany({
    data: data.map(({ value, ...entry }) => ({ ...entry, value: value ?? {} })),
  });
  token = await here.signedIn('leader');
}, 240_000);
afterAll(async () => {
  await here?.close();
  await there?.close();
  rmSync(folder, { recursive: true, force: true });
});

const app = (one: TestApp | undefined): TestApp => {
  if (!one) throw new Error('not started');
  return one;
};

/** Digests of what the domain has in each table, without what is the installation's own. */
async function contents({ services }: TestApp): Promise<Record<string, string>> {
  const { pool, prisma } = services.db;
  const { id } = await prisma.domain.findUniqueOrThrow({ where: { name: 'demo' } });
  const found: Record<string, string> = {};
  for (const { name, own = [], derived, belongs } of domainTables) {
    if (derived && name !== 'feed_listing') continue;
    const left = [...own, 'signing_seed', 'config_version']
      .map((column) => `'${column}'`)
      .join(', ');
    const wheres = name === 'domain' ? [`t.id = ${id}`] : belongs.map((how) => belongsSql(how, id));
    const commands = name === 'audit_log' ? `AND t.action NOT LIKE '%Domain'` : '';
    const { rows } = await pool.query<{ row: string }>(
      `SELECT (to_jsonb(t) - ARRAY[${left}])::text AS row FROM "${name}" t WHERE (${wheres.join(' OR ')}) ${commands} ORDER BY 1`,
    );
    const hash = createHash('sha256');
    for (const { row } of rows) hash.update(row);
    found[name] = `${rows.length} ${hash.digest('hex')}`;
  }
  return found;
}

const feeds = `{ viewer { feeds(first: 50) { totalCount changeCursor nodes { feedKey feedTitle pinned } } } }`;

describe('a domain that is moved', () => {
  it('has the same rows, files, sessions and lists there, and refuses positions of before once', async () => {
    const before = await app(here).gql(feeds, {}, token);
    expect(before.data.viewer.feeds.totalCount).toBeGreaterThan(100);
    const wanted = await contents(app(here));
    const file = inFolder('demo.tar');
    const out = await exportDomain(app(here).services, {
      domain: 'demo',
      file,
      signal,
      onProgress,
    });
    expect(out).toMatchObject({ missing: [] });
    expect(out.files).toBeGreaterThan(0);
    const came = await importDomain(app(there).services, { file, hold: false, signal, onProgress });
    expect(came).toMatchObject({ domain: 'demo', rows: out.rows, files: out.files, open: true });
    expect(await contents(app(there))).toEqual(wanted);
    const { arrivedAt } = await app(there).services.db.prisma.domain.findUniqueOrThrow({
      where: { name: 'demo' },
    });
    expect(arrivedAt).toEqual(new Date(NOON));
    const after = await app(there).gql(feeds, {}, token);
    const { changeCursor, ...same } = before.data.viewer.feeds;
    expect(after.data.viewer.feeds).toMatchObject(same);
    const poll = (cursor: string): ReturnType<TestApp['rest']> =>
      app(there).rest('/task/v1/feeds/list-latest?from_time=0', token, {
        headers: { 'x-resume-cursor': cursor },
      });
    expect((await poll(changeCursor)).json).toMatchObject({ errorCode: 'E116' });
    expect((await poll(after.data.viewer.feeds.changeCursor)).status).toBe(200);
    // Else the polls are counted for the domain that comes there next.
    await app(there).services.usage.flush();
  }, 120_000);

  it('gives new keys that the other cell never gives', async () => {
    const [one, two] = [app(here), app(there)];
    for (const [of, remainder] of [
      [one, 1n],
      [two, 2n],
    ] as const) {
      const made = await of.services.db.prisma.auditLog.create({
        data: { actor: 'operator', action: 'test', at: new Date() },
      });
      expect(made.id % 100n).toBe(remainder);
    }
  });

  it('is refused where it is already, and where its file is damaged or cut off', async () => {
    const { services } = app(there);
    const file = inFolder('demo.tar');
    const bring = (path: string): Promise<unknown> =>
      importDomain(services, { file: path, hold: false, signal, onProgress });
    await expect(bring(file)).rejects.toThrow('the domain "demo" is here already');
    await services.db.prisma.domain.update({ where: { name: 'demo' }, data: { name: 'other' } });
    await expect(bring(file)).rejects.toThrow(/another domain has the id \d+ here/);
    await services.db.prisma.domain.update({ where: { name: 'other' }, data: { name: 'demo' } });
    await deleteDomain(services, { domain: 'demo', signal, onProgress });
    const bytes = readFileSync(file);
    writeFileSync(inFolder('cut.tar'), bytes.subarray(0, bytes.length - 100_000));
    await expect(bring(inFolder('cut.tar'))).rejects.toThrow('its end is missing');
    const changed = Buffer.from(bytes);
    const at = changed.indexOf('Berlin', changed.indexOf('rows/unit/'));
    changed.write('Bremen', at);
    writeFileSync(inFolder('changed.tar'), changed);
    await expect(bring(inFolder('changed.tar'))).rejects.toThrow('its SHA-256 is not');
    writeFileSync(inFolder('none.tar'), 'hello');
    await expect(bring(inFolder('none.tar'))).rejects.toThrow('it is no export of a domain');
    expect(await services.db.prisma.user.count()).toBe(0);
  }, 120_000);

  it('comes once where two commands bring it, and leaves no row and no file when it is deleted', async () => {
    const { services } = app(there);
    const { transaction } = services.db;
    // Neither begins to write before both have found that the domain is not here.
    const both = new Promise<void>((resolve) => {
      let came = 0;
      const waiting: typeof transaction = async (...args) => {
        if (++came === 2) resolve();
        await both;
        return transaction(...args);
      };
      Object.assign(services.db, { transaction: waiting });
    });
    const bring = (): Promise<unknown> =>
      importDomain(services, { file: inFolder('demo.tar'), hold: false, signal, onProgress });
    const ends = await Promise.allSettled([bring(), bring()]);
    Object.assign(services.db, { transaction });
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: 'the domain "demo" is here already' },
    });
    const { files } = await deleteDomain(services, { domain: 'demo', signal, onProgress });
    expect(files).toBeGreaterThan(0);
    expect(await leftOfDomains(services)).toEqual({ tables: [], files: [] });
  }, 120_000);

  it('goes on with an export that was stopped, and copies no file twice', async () => {
    const { services } = app(here);
    const file = inFolder('again.tar');
    let copied = 0;
    const storage = {
      stat: (key: string) => services.storage.stat(key),
      get(key: string) {
        copied++;
        return services.storage.get(key);
      },
    };
    const counting = { ...services, storage: { ...services.storage, ...storage } };
    const stoppedAfter = async (most: number): Promise<void> => {
      const stop = new AbortController();
      const stopped = exportDomain(counting, {
        domain: 'demo',
        file,
        signal: stop.signal,
        onProgress: (done) => done === most && stop.abort(new Error('stopped')),
      });
      await expect(stopped).rejects.toThrow('stopped');
    };
    await stoppedAfter(10);
    // What a killed attempt may have left: rows and an end that would pass for those of this one.
    const whole = readFileSync(inFolder('demo.tar'));
    const partial = join(`${file}.partial`, 'data');
    appendFileSync(partial, whole.subarray(whole.indexOf('rows/domain/')));
    await stoppedAfter(1);
    expect(readFileSync(partial).includes('end.json')).toBe(false);
    const { files } = await exportDomain(counting, { domain: 'demo', file, signal, onProgress });
    expect(files).toBeGreaterThan(10);
    expect(copied).toBe(files);
    const again = await importDomain(app(there).services, {
      file,
      hold: false,
      signal,
      onProgress,
    });
    expect(again.files).toBe(files);
    expect(await contents(app(there))).toEqual(await contents(app(here)));
  }, 120_000);
});
