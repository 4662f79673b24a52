import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/core/context/in-transaction.ts';
import { explainFailure } from '../../src/core/database/explain-failure.ts';
import { openDatabase, UnknownOutcomeError, type Database } from '../../src/core/database/db.ts';
import { NotFoundError, ValidationError } from '../../src/core/errors.ts';
import { RequestSignal } from '../../src/core/signal.ts';
import { toAppError } from '../../src/core/failures/to-app-error.ts';
import { freshDatabase } from '../support/app.ts';

let db: Database;
/** Texts of the statements that ended. */
const told: string[] = [];

beforeAll(async () => {
  const database = await freshDatabase();
  db = await openDatabase({
    // One connection: who waits for another within a transaction waits for ever.
    database: database.kind === 'server' ? { ...database, poolSize: 1 } : database,
    onStatement: (sql) => () => () => void told.push(sql),
  });
  // The first call compiles Prisma's engine, which is no wait for a connection.
  await db.prisma.domain.count();
});
afterAll(() => db.close());

describe('a transaction on the only connection', () => {
  it('is one for Prisma, SQL and transactions within it', { timeout: 15_000 }, async () => {
    const names = await inTransaction({ db }, async (tx) => {
      const made = await tx.db.prisma.domain.create({ data: { name: 'one' } });
      await tx.db.rows('INSERT INTO domain (name) VALUES ($1)', ['two']);
      await inTransaction(tx, (inner) =>
        inner.db.prisma.unit.create({
          data: { domainId: made.id, name: 'A', nameFold: 'a' },
        }),
      );
      const [units, domains] = await Promise.all([
        tx.reads.prisma.unit.findMany({ where: { domain: { name: 'one' } } }),
        tx.db.within(new RequestSignal()).prisma.domain.findMany({ orderBy: { id: 'asc' } }),
      ]);
      return [...units, ...domains].map(({ name }) => name);
    });
    expect(names).toEqual(['A', 'one', 'two']);
  });

  it('leaves nothing when it throws', { timeout: 15_000 }, async () => {
    const work = inTransaction({ db }, async (tx) => {
      await tx.db.prisma.domain.create({ data: { name: 'gone' } });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.prisma.domain.count({ where: { name: 'gone' } })).toBe(0);
  });

  it('is begun for a call that writes several tables', { timeout: 15_000 }, async () => {
    const nested = db.prisma.domain.create({
      data: {
        name: 'nested',
        units: {
          create: [
            { name: 'B', nameFold: 'b' },
            { name: 'B', nameFold: 'b' },
          ],
        },
      },
    });
    await expect(nested).rejects.toThrow('is taken');
    expect(await db.prisma.domain.count({ where: { name: 'nested' } })).toBe(0);
  });
});

it('says in our codes which key is taken, and which row is not there', async () => {
  const { id } = await db.prisma.domain.create({ data: { name: 'taken' } });
  const again = db.prisma.domain.create({ data: { name: 'taken' } });
  await expect(again).rejects.toMatchObject({
    code: 'E900',
    problems: [{ path: ['input', 'name'], code: 'TAKEN' }],
  });
  await expect(
    inTransaction({ db }, (tx) => tx.db.rows(`INSERT INTO domain (name) VALUES ('taken')`, [])),
  ).rejects.toBeInstanceOf(ValidationError);
  const lost = db.prisma.unit.create({ data: { domainId: id + 999, name: 'C', nameFold: 'c' } });
  await expect(lost).rejects.toThrow(new NotFoundError('Domain').message);
  await expect(
    db.prisma.domain.update({ where: { id: id + 999 }, data: { name: 'x' } }),
  ).rejects.toThrow('Domain not found');
  expect(await db.prisma.domain.count({ where: { name: 'taken' } })).toBe(1);
});

it.each([
  [
    'German',
    'Schlüssel (§)=(§) ist nicht in Tabelle »§« vorhanden.',
    'Auf Schlüssel (§)=(§) wird noch aus Tabelle »§« verwiesen.',
  ],
  [
    'French',
    'La clé (§)=(§) n’est pas présente dans la table «\u00a0§\u00a0».',
    'La clé (§)=(§) est toujours référencée à partir de la table «\u00a0§\u00a0».',
  ],
  ['Chinese', '表 "¶" 中不存在键 (§)=(§)。', '键 (§)=(§) 仍被表 "§" 引用。'],
])('says the same of a server that speaks %s', async (language, absent, inUse) => {
  const { id } = await db.prisma.domain.create({ data: { name: language } });
  await db.rows('CREATE TABLE IF NOT EXISTS guest (domain_id int REFERENCES domain)', []);
  await inTransaction({ db }, (tx) => tx.db.rows('INSERT INTO guest VALUES ($1)', [id]));
  const failures = [
    () => db.prisma.domain.create({ data: { name: language } }),
    () => db.prisma.unit.create({ data: { domainId: id + 999, name: 'C', nameFold: 'c' } }),
    () => db.prisma.domain.delete({ where: { id } }),
  ];
  const said: object[] = [];
  for (const [index, fail] of failures.entries()) {
    const shown = (await fail().catch((error: unknown) => error)) as Error & { cause: Error };
    const { detail } = shown.cause as Error & { detail: string };
    const [, names = '', values = '', table = ''] =
      /^Key \((.*)\)=\((.*)\) .*?(?:table "(.*)")?\.$/.exec(detail) ?? [];
    const words = [names, values, table];
    const form = ['Schlüssel »(§)=(§)« existiert bereits.', absent, inUse][index] ?? '';
    const foreign = form.replace('¶', table).replaceAll('§', () => words.shift() ?? '');
    const translated = Object.assign(new Error('…'), shown.cause, { detail: foreign });
    expect(explainFailure(translated)).toMatchObject({ message: shown.message });
    said.push({ message: shown.message });
  }
  expect(said).toMatchObject([
    { message: expect.stringContaining('is taken') as string },
    { message: 'Domain not found' },
    { message: expect.stringContaining('is still in use') as string },
  ]);
});

it('says that the outcome is unknown when the connection is lost during a commit', async () => {
  if (db.embedded) return; // its connection is within this process
  await db.pool.query(`CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER end_session AFTER INSERT ON domain DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.name = 'unknown') EXECUTE FUNCTION end_session()`);
  const name = 'unknown';
  const writes = [
    inTransaction({ db }, (tx) => tx.db.rows('INSERT INTO domain (name) VALUES ($1)', [name])),
    inTransaction({ db }, (tx) => tx.db.prisma.domain.create({ data: { name } })),
    db.prisma.domain.create({ data: { name, units: { create: { name, nameFold: name } } } }),
  ];
  for (const write of writes) {
    const error: unknown = await write.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(toAppError(error)).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  }
  expect(await db.prisma.domain.count({ where: { name } })).toBe(0);
});

it('tells of its statements as of any other', async () => {
  told.length = 0;
  await db.prisma.domain.findMany({ take: 1 });
  expect(told.filter((sql) => sql.includes('"domain"'))).toHaveLength(1);
});

it('reads nothing for a request that has ended', async () => {
  const signal = new RequestSignal();
  signal.abort(new Error('nobody waits'));
  told.length = 0;
  await expect(db.within(signal).prisma.domain.count()).rejects.toThrow('nobody waits');
  expect(told).toEqual([]);
});

it('ends a wait for a lock with its request', { timeout: 10_000 }, async () => {
  if (db.embedded) return;
  const other = new pg.Client(db.pool.options);
  await other.connect();
  await other.query('BEGIN');
  await other.query('LOCK TABLE domain');
  const signal = new RequestSignal();
  const waiting = db.within(signal).prisma.domain.count();
  const isWaiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  while ((await other.query(isWaiting)).rowCount === 0);
  signal.abort(new Error('nobody waits'));
  await expect(waiting).rejects.toThrow('nobody waits');
  await other.query('COMMIT');
  await other.end();
});
