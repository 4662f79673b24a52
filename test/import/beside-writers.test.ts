import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { runJob } from '../../src/server/control/control-jobs.ts';
import { freshDatabase, startApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
import { untilSomebodyWaits } from '../support/until-somebody-waits.ts';
import { openImportBench } from './import-bench.ts';

const IS_LOCKED = `SELECT WHERE NOT EXISTS (SELECT FROM feed WHERE feed_key = 2 FOR NO KEY UPDATE SKIP LOCKED)`;
/** Somebody has waited for so long that PostgreSQL would not end them, but who waits next. */
const HAS_WAITED = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND clock_timestamp() - query_start > 1.2 * current_setting('deadlock_timeout')::interval`;

// The embedded database has one connection: nobody else can hold a lock.
test.runIf(hasServer())(
  'an import is not lost to a writer who has a feed that it wants, and wants one that it has',
  async () => {
    const bench = await openImportBench();
    const writer = await bench.db.pool.connect();
    const lock = (key: number): Promise<unknown> =>
      writer.query(`SELECT FROM feed WHERE feed_key = ${key} FOR NO KEY UPDATE`);
    const until = async (sql: string): Promise<void> => {
      while ((await bench.db.rows(sql, [])).length === 0);
    };
    let refused: Promise<unknown> | undefined;
    async function* records(): AsyncGenerator<object> {
      yield feed(2, { feed_title: 'Other' });
      // A record of another kind ends the batch, which is written while the next one is read.
      yield { record: 'domain', name: 'acme' };
      await until(IS_LOCKED);
      refused = lock(2).catch((error: unknown) => error);
      await until(HAS_WAITED);
      yield feed(1, { feed_title: 'Other' });
    }
    try {
      await bench.load(...organisation, feed(1), feed(2));
      await writer.query(`BEGIN; SET LOCAL statement_timeout = '3s'`);
      await lock(1);
      const source = asLines(records());
      const counts = await importRecords(bench.services, source, { name: 'work.ndjson' });
      expect(counts['feed']).toEqual({ new: 0, changed: 2, same: 0 });
      expect(await refused).toMatchObject({ code: '57014' });
    } finally {
      await writer.query('ROLLBACK');
      writer.release();
      await bench.close();
    }
  },
);

test.runIf(hasServer())(
  'an import that PostgreSQL ends because it and another write wait for each other begins again',
  async () => {
    const database = await freshDatabase();
    const app = await startApp({ database });
    const { db } = app.services;
    const [writer, gate] = [await db.pool.connect(), await db.pool.connect()];
    const flags = (key: number): Promise<unknown> =>
      writer.query(`SELECT FROM feed_user_state WHERE feed_key = ${key} FOR UPDATE`);
    const flagged = (key: number, pin: number): object =>
      feed(key, { user_states: [{ user: 'ana', pin }] });
    const folder = mkdtempSync(join(tmpdir(), 'trivium-import-'));
    const file = join(folder, 'work.ndjson');
    const bob = { record: 'user', domain: 'acme', login: 'bob', display_name: 'Robert' };
    const lines = [flagged(2, 1), bob, flagged(1, 1)].map((record) => JSON.stringify(record));
    try {
      await app.load([...organisation, flagged(1, 0), flagged(2, 0)]);
      writeFileSync(file, lines.join('\n'));
      await writer.query('BEGIN');
      await flags(1);
      await gate.query(`BEGIN; SELECT FROM "user" WHERE login = 'bob' FOR UPDATE`);
      const setting = { services: app.services, signal: new AbortController().signal };
      const imported = runJob(
        'importFile',
        { file, name: 'work.ndjson' },
        { ...setting, onProgress: () => {} },
      );
      await untilSomebodyWaits(db);
      const second = flags(2);
      while ((await db.rows(HAS_WAITED, [])).length < 2);
      await gate.query('COMMIT');
      await second;
      await writer.query('COMMIT');
      expect(await imported).toMatchObject({ feed: { new: 0, changed: 2, same: 0 } });
    } finally {
      for (const client of [writer, gate]) {
        await client.query('ROLLBACK');
        client.release();
      }
      rmSync(folder, { recursive: true });
      await app.close();
    }
  },
);
