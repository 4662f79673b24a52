import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp({ env: { REQUEST_TIMEOUT_MS: '1500' } });
  await app.load([...organisation, feed(1)]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

/** Reads of feeds that wait for a lock. (So does the job that looks for tables without statistics, which names its table alone.) */
const waiting = async (admin: pg.Client): Promise<number> => {
  const { rows } = await admin.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM feed_listing l %'`,
  );
  return rows[0]!.count;
};

const document = '{ viewer { feeds { totalCount } } }';
const asks = {
  'the ordinary way': (signal?: AbortSignal) =>
    app.rest('/graphql', ana, {
      method: 'POST',
      body: JSON.stringify({ query: `${document} # ${Math.random()}` }),
      headers: { 'content-type': 'application/json' },
      ...(signal && { signal }),
    }),
  compiled: (signal?: AbortSignal) =>
    app.rest('/graphql', ana, {
      method: 'POST',
      body: JSON.stringify({ query: document }),
      headers: { 'content-type': 'application/json' },
      ...(signal && { signal }),
    }),
  'over REST': (signal?: AbortSignal) => app.rest('/task/v1/feeds/list', ana, signal && { signal }),
};

it.each(Object.entries(asks))(
  'a read %s is cancelled in the database when its time is over, and when its client is gone',
  async (_, ask) => {
    // On a busy machine even a quick read may take longer than the time limit.
    const answers = (): Promise<void> =>
      expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200);
    for (let i = 0; i < 3; i++) await answers();
    if (app.services.db.embedded) return; // PGlite runs one statement at a time and can't be interrupted; the next test holds for it too
    const { connectionString } = app.services.db.pool.options;
    const [locker, admin] = [
      new pg.Client({ connectionString }),
      new pg.Client({ connectionString }),
    ];
    await Promise.all([locker.connect(), admin.connect()]);
    await locker.query('BEGIN; LOCK TABLE feed_listing IN ACCESS EXCLUSIVE MODE');
    try {
      const slow = ask();
      await expect.poll(() => waiting(admin)).toBe(1);
      const answer = await slow;
      expect(answer.status).toBe(503);
      await expect.poll(() => waiting(admin)).toBe(0);

      const controller = new AbortController();
      const gone = ask(controller.signal).catch(() => 'gone');
      await expect.poll(() => waiting(admin)).toBe(1);
      controller.abort();
      expect(await gone).toBe('gone');
      await expect.poll(() => waiting(admin)).toBe(0);
    } finally {
      await locker.query('ROLLBACK');
      await Promise.all([locker.end(), admin.end()]);
    }
    await answers();
  },
);

it('nothing further is read for an answer that nobody waits for', async () => {
  const controller = new AbortController();
  const db = app.services.db.within(controller.signal);
  expect(await db.rows('SELECT 1', [])).toEqual([['1']]);
  controller.abort(new AppError('E900', { status: 503 }));
  await expect(db.rows('SELECT 1', [])).rejects.toMatchObject({ code: 'E900', status: 503 });
  expect(await app.services.db.rows('SELECT 1', [])).toEqual([['1']]);
});
