import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followSteps } from '../../src/core/migrations/follow-steps.ts';
import { migrate } from '../../src/core/migrations/migrate.ts';
import { createLog } from '../../src/core/log.ts';
import {
  bareDatabase,
  hasServer,
  MigrationFolder,
  type BareDatabase,
} from '../support/migrated.ts';

const BASE =
  'CREATE TABLE thing (id int PRIMARY KEY, a int, b int); INSERT INTO thing SELECT i, i FROM generate_series(1, 95) i';
const INDEX = '-- while serving\nCREATE INDEX CONCURRENTLY "thing_a" ON thing (a);\n';
const fill = (value = 'a * 2', when = 'while'): string => `-- ${when} serving
WITH batch AS (SELECT id FROM thing WHERE id > coalesce($1, '0')::int ORDER BY id LIMIT 10 FOR UPDATE),
  filled AS (UPDATE thing t SET b = ${value} FROM batch WHERE t.id = batch.id)
SELECT batch.id::text FROM batch ORDER BY batch.id DESC LIMIT 1;
`;

/** Longest wait for what is sure to come. */
const WAIT = { timeout: 20_000 };

let database: BareDatabase;
let folder: MigrationFolder;
const said: string[] = [];
const events = {
  onApplied: (names: string[]) => void said.push(`applied ${names.join()}`),
  onWaiting: () => void said.push('waiting'),
  onStep: () => undefined,
};
const up = (): Promise<void> =>
  migrate(database.pool, { ...database, events, folder: folder.path });
const rows = async (sql: string): Promise<any[]> => (await database.pool.query(sql)).rows;
const filled = async (): Promise<number> =>
  (await rows('SELECT count(*)::int AS n FROM thing WHERE b = a * 2'))[0].n;
const steps = (): Promise<any[]> =>
  rows(
    'SELECT step, batches::int, finished_at IS NOT NULL AS done FROM _migration_steps ORDER BY 1',
  );
const follower = () => followSteps(database, createLog('silent'), folder.path);

beforeEach(async () => {
  database = await bareDatabase();
  folder = new MigrationFolder('1_base').add('1_base', { migration: BASE });
  said.length = 0;
  await up();
});
afterEach(async () => {
  await database.close();
  folder.remove();
});

describe('a gateway of the release before', () => {
  it('starts on a database that a newer one has added to', async () => {
    const newer = new MigrationFolder('1_base')
      .add('1_base', { migration: BASE })
      .add('2_more', { migration: 'ALTER TABLE thing ADD COLUMN c text', 'step-1-a': INDEX });
    await migrate(database.pool, { ...database, folder: newer.path });
    newer.remove();
    await up();
    const later = follower();
    later.start();
    await later.close();
    expect(later.underWay()).toBeUndefined();
  });

  it('does not start where a contract has removed what it needs, and says which version to install', async () => {
    const contract = (needs: string): string =>
      `-- contract, needs ${needs} (0.9.0)\nALTER TABLE thing DROP COLUMN b`;
    const newer = new MigrationFolder('2_more')
      .add('1_base', { migration: BASE })
      .add('2_more', { migration: 'ALTER TABLE thing ADD COLUMN c text' })
      .add('3_less', { migration: contract('2_more') });
    await migrate(database.pool, { ...database, folder: newer.path });
    newer.remove();
    await expect(up()).rejects.toThrow(
      /^this is Trivium \S+, but the database needs 0\.9\.0 or later: migration 3_less removed/,
    );
    // The release that the contract names works on what is left.
    folder.add('2_more', { migration: 'ALTER TABLE thing ADD COLUMN c text' });
    await up();
  });
});

it('steps are done without a break, and once', async () => {
  folder.add('2_more', {
    migration: 'ALTER TABLE thing ADD COLUMN c text',
    'step-1-index': INDEX,
    'step-2-fill': fill(),
    'step-10-last': '-- before serving\nSELECT 1;\n',
  });
  await up();
  const after = follower();
  await after.finish();
  expect(after.underWay()).toBeUndefined();
  expect(await filled()).toBe(95);
  expect(
    await rows(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'thing_a'::regclass`),
  ).toEqual([{ indisvalid: true }]);
  expect((await steps()).map(({ step, done }) => [step, done])).toEqual([
    ['step-1-index', true],
    ['step-10-last', true],
    ['step-2-fill', true],
  ]);
  await up();
  folder.add('2_more', { 'step-2-fill': fill('0') });
  await expect(up()).rejects.toThrow('step 2_more/step-2-fill was edited after it had been done');
});

it('an edited migration is refused', async () => {
  folder.add('1_base', { migration: 'CREATE TABLE thing (id int)' });
  await expect(up()).rejects.toThrow('migration 1_base was edited after it had been applied');
});

// The embedded database has a single connection: all of it is done before anybody else gets it.
if (!hasServer()) console.log('not run: migrations beside gateways, for want of TEST_DATABASE_URL');
describe.skipIf(!hasServer())('on a server', () => {
  it('an empty database that can not store every text is refused', async () => {
    const latin = await bareDatabase(`ENCODING 'LATIN1' LOCALE 'C'`);
    await expect(migrate(latin.pool, { ...latin, folder: folder.path })).rejects.toThrow(
      'the database has the encoding LATIN1, and Trivium needs UTF8',
    );
    await latin.close();
  });

  const kill = (): Promise<any[]> =>
    rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trivium migrate' AND datname = current_database()`,
    );
  const invalid = (): Promise<any[]> =>
    rows(`SELECT FROM pg_index WHERE indexrelid = to_regclass('thing_a') AND NOT indisvalid`);
  const held = async (
    sql: string,
    work: (client: pg.PoolClient) => Promise<void>,
  ): Promise<void> => {
    const client = await database.pool.connect();
    try {
      await client.query(`BEGIN; ${sql}`);
      await work(client);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  };

  it('gateways wait only for the steps that say so', async () => {
    folder.add('2_more', {
      migration: 'ALTER TABLE thing ADD COLUMN c text',
      'step-1-index': INDEX,
      'step-2-fill': fill('a * 2', 'before'),
    });
    await up();
    expect(said).toEqual(['applied 2_more']);
    expect(await steps()).toEqual([{ step: 'step-2-fill', batches: 10, done: true }]);
    const later = follower();
    later.start();
    await expect.poll(steps, WAIT).toMatchObject([{ done: true }, { done: true }]);
    await expect.poll(() => later.underWay(), WAIT).toBeUndefined();
    await later.close();
  });

  it('an index whose gateway was killed is made anew', async () => {
    folder.add('2_more', { migration: 'SELECT 1', 'step-1-index': INDEX });
    await up();
    // It waits for a transaction that holds rows of the table.
    await held('UPDATE thing SET a = a WHERE id = 1', async () => {
      const killed = expect(follower().finish()).rejects.toThrow();
      await expect.poll(invalid, WAIT).toHaveLength(1);
      await kill();
      await killed;
      expect(await invalid()).toHaveLength(1);
    });
    await follower().finish();
    expect(await rows(`SELECT FROM pg_class WHERE relname = 'thing_a'`)).toHaveLength(1);
    expect(await invalid()).toHaveLength(0);
  });

  it('a back-fill goes on where its gateway was killed', async () => {
    folder.add('2_more', { migration: 'SELECT 1', 'step-1-fill': fill() });
    await up();
    // It waits for a row of its fourth batch.
    await held('UPDATE thing SET a = a WHERE id = 35', async () => {
      const killed = expect(follower().finish()).rejects.toThrow();
      await expect.poll(steps, WAIT).toMatchObject([{ batches: 3 }]);
      await kill();
      await killed;
    });
    await rows('UPDATE thing SET b = -1 WHERE id <= 30');
    await follower().finish();
    expect(await steps()).toMatchObject([{ batches: 10, done: true }]);
    // What had been done was not done again.
    expect(await filled()).toBe(65);
  });

  it('two gateways do a step once', async () => {
    folder.add('2_more', { migration: 'SELECT 1', 'step-1-index': INDEX, 'step-2-fill': fill() });
    await Promise.all([up(), up(), up()]);
    expect(said).toEqual(['applied 2_more']);
    await Promise.all([follower().finish(), follower().finish()]);
    expect(await steps()).toMatchObject([{ done: true }, { batches: 10, done: true }]);
  });

  it('a gateway that stops cancels the index that it makes, and the next one makes it', async () => {
    folder.add('2_more', { migration: 'SELECT 1', 'step-1-index': INDEX });
    await up();
    await held('UPDATE thing SET a = a WHERE id = 1', async () => {
      const first = follower();
      first.start();
      await expect.poll(invalid, WAIT).toHaveLength(1);
      expect(first.underWay()).toBe('2_more/step-1-index');
      await first.close();
    });
    await follower().finish();
    expect(await steps()).toMatchObject([{ done: true }]);
  });

  it('nobody waits behind a migration that waits for a table', async () => {
    folder.add('2_more', { migration: 'ALTER TABLE thing ADD COLUMN c text' });
    let longest = 0;
    let migrated: Promise<void> = Promise.resolve();
    await held('SELECT FROM thing', async () => {
      migrated = up();
      for (let tries = 0; tries < 2;) {
        const from = performance.now();
        await rows('SELECT count(*) FROM thing');
        longest = Math.max(longest, performance.now() - from);
        tries = said.filter((one) => one === 'waiting').length;
        await pause(5);
      }
    });
    await migrated;
    expect(said.at(-1)).toBe('applied 2_more');
    expect(longest).toBeLessThan(2_000);
  });

  it('steps of earlier releases are done before what comes after them', async () => {
    const later = new MigrationFolder('3_more')
      .add('1_base', { migration: BASE })
      .add('2_more', { migration: 'SELECT 1', 'step-1-fill': fill() })
      .add('3_more', { migration: 'SELECT 1' })
      .add('4_more', { migration: 'CREATE TABLE seen AS SELECT count(b)::int AS n FROM thing' });
    await migrate(database.pool, { ...database, events, folder: later.path });
    later.remove();
    expect(said).toEqual(['applied 2_more', 'applied 3_more', 'applied 4_more']);
    expect(await rows('SELECT n FROM seen')).toEqual([{ n: 95 }]);
  });

  it('a unique index that rows contradict fails, and leaves nothing that refuses others', async () => {
    await rows('UPDATE thing SET a = 7 WHERE id < 3');
    folder.add('2_more', {
      migration: 'SELECT 1',
      'step-1-index': INDEX.replace('INDEX', 'UNIQUE INDEX'),
    });
    await up();
    await expect(follower().finish()).rejects.toThrow('could not create unique index');
    expect(await rows(`SELECT FROM pg_class WHERE relname = 'thing_a'`)).toEqual([]);
    await rows('UPDATE thing SET a = -id');
    await follower().finish();
  });
});
