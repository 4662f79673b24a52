import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportDomain } from '../../src/cells/export-domain.ts';
import { importDomain } from '../../src/cells/import-domain.ts';
import { lockDomain, unlockDomain } from '../../src/cells/lock-domain.ts';
import { freshDatabase, startApp, type RestAnswer, type TestApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { startTracker, TASKS, type Tracker } from '../support/tracker.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-lock-'));
const inFolder = (name: string): string => join(folder, name);
const rest = { signal: new AbortController().signal, onProgress: (): void => undefined };
const acme = { domain: 'acme', ...rest };

/** Two gateways on one database, where it can have two; and one on another. */
let here: Tracker;
let beside: TestApp;
let there: TestApp;
let sue: string;

beforeAll(async () => {
  const database = await freshDatabase();
  const env = { CELL: '1', DATA_DIR: inFolder('here') };
  here = await startTracker({ env, database });
  beside = database.kind === 'server' ? await startApp({ env, database }) : here;
  there = await startApp({ env: { CELL: '2', DATA_DIR: inFolder('there') } });
  sue = await here.signedIn('sue');
}, 120_000);
afterAll(async () => {
  if (beside !== here) await beside.close();
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (to: TestApp, name: string): Promise<RestAnswer> =>
  to.rest(TASKS, undefined, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'API-Key': here.key,
      customerId: 'shop',
    },
    body: JSON.stringify({ name }),
  });
const templates = `mutation { createTaskTemplates(input: { titles: ["Sweep"] }) { __typename } }`;
const count = `{ viewer { feeds { totalCount } } }`;

it('refuses writes of a locked domain on every gateway, by session and by key, and goes on with reads', async () => {
  await lockDomain(here.services, 'acme');
  for (const gateway of [here, beside]) {
    const refused = await send(gateway, 'x');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '3']);
    const mutation = await gateway.gql(templates, {}, sue);
    expect([mutation.status, mutation.errors?.[0]?.extensions]).toMatchObject([
      503,
      { code: 'SERVICE_UNAVAILABLE', retryAfter: 3 },
    ]);
    const read = await gateway.gql(count, {}, sue);
    expect([read.status, read.errors]).toEqual([200, undefined]);
  }
  const key = { 'API-Key': here.foeKey, customerId: 'foe' };
  expect((await here.post(TASKS, { name: 'of the other domain' }, key)).status).toBe(201);
  await expect(here.signedIn('sue')).rejects.toThrow('This domain is being moved or deleted');
  await unlockDomain(here.services, 'acme');
  for (const gateway of [here, beside]) expect((await send(gateway, 'x')).status).toBe(201);
});

it('lets nothing be lost that was acknowledged: a write that began before is in what moves, or refused', async () => {
  const { services } = here;
  let isLocked = false;
  let locked = Promise.resolve();
  await services.db.transaction(async (_, tx) => {
    const unit = await tx.prisma.unit.findFirstOrThrow();
    await tx.prisma.unit.update({ where: { id: unit.id }, data: { timeZone: 'Europe/Oslo' } });
    await tx.prisma.auditLog.create({
      data: { actor: 'operator', action: 'test', domainId: unit.domainId, at: new Date() },
    });
    // Not before: the lock could come first then, and the write be refused.
    locked = lockDomain(services, 'acme').then(() => void (isLocked = true));
    // The embedded database has one connection: nothing else runs meanwhile.
    if (!services.db.embedded) await waitUntilLocking(services.db.pool);
    expect(isLocked).toBe(false);
  });
  await locked;
  await unlockDomain(services, 'acme');
});

it.runIf(hasServer())(
  'a lock that another command has taken back while both waited for a write is refused',
  async () => {
    const { services } = here;
    const { pool } = services.db;
    const locks: Promise<unknown>[] = [];
    await services.db.transaction(async (_, tx) => {
      const { id } = await tx.prisma.domain.findUniqueOrThrow({ where: { name: 'acme' } });
      await tx.prisma.auditLog.create({
        data: { actor: 'operator', action: 'test', domainId: id, at: new Date() },
      });
      const refused = expect(lockDomain(services, 'acme')).rejects.toThrow('has been running');
      // So that the second one is not about to give up when the first one does.
      await waitUntilLocking(pool, 2);
      locks.push(lockDomain(services, 'acme').catch((error: unknown) => error));
      await refused;
    });
    expect(await Promise.all(locks)).toMatchObject([
      {
        code: 'E900',
        message: 'another command is changing the domain "acme": try again when it has ended',
      },
    ]);
    expect((await send(here, 'after two locks')).status).toBe(201);
  },
);

it('a lock that can not wait for writes leaves the domain open', async () => {
  const { services } = here;
  const lost = (): Promise<never> => Promise.reject(new Error('the connection is lost'));
  const db = { ...services.db, transaction: lost };
  await expect(lockDomain({ ...services, db }, 'acme')).rejects.toThrow('the connection is lost');
  expect((await send(here, 'after no lock')).status).toBe(201);
});

it('exports nothing under a lock that is not there, or was taken away before the end', async () => {
  const { services } = here;
  const { db } = services;
  const unlocked = 'another command has unlocked the domain "acme": export it again';
  const file = inFolder('unlocked.tar');
  const wanted = { ...acme, file, locked: true };
  await expect(exportDomain(services, wanted)).rejects.toThrow(unlocked);
  await lockDomain(services, 'acme');
  const unlocking: typeof db.transaction = async (work, last) => {
    const done = await db.transaction(work, last);
    if (hasRows) await unlockDomain(services, 'acme');
    return done;
  };
  const meanwhile = { ...services, db: { ...db, transaction: unlocking } };
  let hasRows = false;
  const onProgress = (): void => void (hasRows = true);
  await expect(exportDomain(meanwhile, { ...wanted, onProgress })).rejects.toThrow(unlocked);
  expect(existsSync(file)).toBe(false);
  await lockDomain(services, 'acme');
  await exportDomain(services, wanted);
  await unlockDomain(services, 'acme');
});

/** Until somebody waits for the writes of a domain, for so many seconds. */
async function waitUntilLocking(
  pool: TestApp['services']['db']['pool'],
  seconds = 0,
): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711063 AND NOT granted AND waitstart < clock_timestamp() - $1 * interval '1 second'`,
      [seconds],
    );
    if (rows.length > 0) return;
  }
}

it('moves a domain while clients write: all that was acknowledged is there, and nothing twice', async () => {
  const acknowledged: string[] = [];
  const codes = new Set<number>();
  let isOver = false;
  const write = async (gateway: TestApp, writer: string): Promise<void> => {
    for (let number = 0; !isOver; number++) {
      const name = `${writer} ${number}`;
      const { status } = await send(gateway, name);
      codes.add(status);
      if (status === 201) acknowledged.push(name);
    }
  };
  const writers = [write(here, 'one'), write(here, 'two'), write(beside, 'three')];
  const base = inFolder('acme.tar');
  await exportDomain(here.services, { ...acme, file: base });
  await importDomain(there.services, { file: base, hold: true, ...rest });
  const closed = await there.gql(count, {}, sue);
  expect([closed.status, closed.errors?.[0]?.extensions['code']]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
  ]);
  // What is changed, and what is gone.
  const { prisma } = here.services.db;
  const domain = await prisma.domain.findUniqueOrThrow({ where: { name: 'acme' } });
  const where = { domainId: domain.id, nameFold: 'berlin' };
  await prisma.unit.updateMany({ where, data: { name: 'Berlin Mitte', nameFold: 'berlin mitte' } });
  const berlin = await prisma.unit.create({ data: { ...where, name: 'Berlin' } });
  const gone = await prisma.dept.create({ data: { ...where, name: 'Gone', nameFold: 'gone' } });
  await prisma.dept.delete({ where: { id: gone.id } });
  await prisma.user.delete({ where: { login: 'gone' } });
  await lockDomain(here.services, 'acme');
  await exportDomain(here.services, { ...acme, file: inFolder('rest.tar'), since: base });
  isOver = true;
  await Promise.all(writers);
  const importRest = () =>
    importDomain(there.services, { file: inFolder('rest.tar'), hold: false, ...rest });
  const others = there.services.db.prisma;
  const other = await others.domain.create({ data: { name: 'other' } });
  const data = { id: berlin.id, domainId: other.id, name: 'Taken', nameFold: 'taken' };
  await others.unit.create({ data });
  await expect(importRest()).rejects.toThrow('the key of a row of another domain');
  expect(await others.unit.findUnique({ where: { id: berlin.id } })).toMatchObject(data);
  await others.unit.delete({ where: { id: berlin.id } });
  await others.domain.delete({ where: { id: other.id } });
  expect((await importRest()).open).toBe(true);
  expect([...codes].sort()).toEqual([201, 503]);
  expect(acknowledged.length).toBeGreaterThan(3);
  const tasks = await there.services.db.prisma.externalTask.findMany({ select: { name: true } });
  const names = tasks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length - 1); // "x" twice, of the test before
  expect(acknowledged.filter((name) => !names.includes(name))).toEqual([]);
  const users = await there.services.db.prisma.user.findMany({ select: { login: true } });
  expect(users.map(({ login }) => login)).not.toContain('gone');
  for (const table of [
    'feed',
    'feed_listing',
    'feed_assignment',
    'unit',
    'dept',
    'task_template',
  ]) {
    const sql = `SELECT md5(string_agg(t::text, '' ORDER BY t::text)) AS digest FROM "${table}" t`;
    const of = async (app: TestApp, limit: string): Promise<unknown> =>
      (await app.services.db.pool.query(sql + limit)).rows;
    const mine = ['feed', 'unit', 'dept', 'task_template'].includes(table)
      ? ` WHERE domain_id = ${domain.id}`
      : ` WHERE EXISTS (SELECT FROM feed f WHERE f.feed_key = t.feed_key AND f.domain_id = ${domain.id})`;
    expect(await of(there, mine), table).toEqual(await of(here, mine));
  }
  expect((await there.gql(count, {}, sue)).status).toBe(200);
  expect((await send(there, 'new')).status).toBe(201);
}, 120_000);

it('refuses the rest of another export, and a second time', async () => {
  const file = inFolder('rest.tar');
  await expect(importDomain(there.services, { file, hold: false, ...rest })).rejects.toThrow(
    'import that one first, with --hold',
  );
});
