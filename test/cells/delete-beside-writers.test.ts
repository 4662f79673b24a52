import { expect, test } from 'vitest';
import { deleteDomain } from '../../src/cells/delete-domain.ts';
import { freshDatabase, startApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
import { untilSomebodyWaits } from '../support/until-somebody-waits.ts';

/** How many have waited for so long that PostgreSQL would not end them, but who waits next. */
const HAVE_WAITED = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND clock_timestamp() - query_start > 1.2 * current_setting('deadlock_timeout')::interval`;

// The embedded database has one connection: nobody else can hold a lock.
test.runIf(hasServer())(
  'a deletion that PostgreSQL ends because it and another write wait for each other goes on',
  async () => {
    const app = await startApp({ database: await freshDatabase() });
    const { db } = app.services;
    const [writer, gate] = [await db.pool.connect(), await db.pool.connect()];
    const flags = (key: number): string =>
      `SELECT FROM feed_user_state WHERE feed_key = ${key} FOR UPDATE`;
    const flagged = (key: number): object => feed(key, { user_states: [{ user: 'ana', pin: 1 }] });
    try {
      await app.load([...organisation, flagged(1), flagged(2), flagged(3)]);
      await writer.query(`BEGIN; ${flags(3)}`);
      await gate.query(`BEGIN; ${flags(2)}`);
      const { signal } = new AbortController();
      const deleted = deleteDomain(app.services, {
        ...{ domain: 'acme', signal },
        onProgress: () => {},
      });
      await untilSomebodyWaits(db);
      const first = writer.query(flags(1));
      while ((await db.rows(HAVE_WAITED, [])).length < 2);
      await gate.query('COMMIT');
      await first;
      await writer.query('COMMIT');
      expect(await deleted).toMatchObject({ domain: 'acme' });
    } finally {
      for (const client of [writer, gate]) {
        await client.query('ROLLBACK');
        client.release();
      }
      await app.close();
    }
  },
);
