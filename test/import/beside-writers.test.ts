import { expect, test } from 'vitest';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
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
