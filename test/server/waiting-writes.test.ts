import pg from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase, startApp, type GraphQLAnswer, type TestApp } from '../support/app.ts';
import { hasServer } from '../support/migrated.ts';
import { feed, organisation } from '../support/records.ts';
import { untilSomebodyWaits } from '../support/until-somebody-waits.ts';

const PIN =
  'mutation ($id: ID!, $pinned: Boolean) { setFeedState(input: { feedIds: [$id], pinned: $pinned }) { __typename } }';

/** A gateway, another client of its database, and how ana pins her feed, which she has done once. */
interface World {
  app: TestApp;
  other: pg.Client;
  token: string;
  pin: (pinned: boolean) => Promise<GraphQLAnswer>;
}

/** Runs on a database of its own; `prepare` says what is set there before the gateway starts. */
async function withOther(
  { poolSize = 4, prepare = 'SELECT' }: { poolSize?: number; prepare?: string },
  run: (world: World) => Promise<void>,
): Promise<void> {
  const database = await freshDatabase();
  if (database.kind !== 'server') throw new Error('no server');
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query(prepare);
  const app = await startApp({ database: { ...database, poolSize } });
  try {
    await app.load([...organisation, feed(1)]);
    const token = await app.signedIn('ana');
    const id = Buffer.from('Feed:1').toString('base64');
    const pin: World['pin'] = (pinned) => app.gql(PIN, { id, pinned }, token);
    expect((await pin(true)).errors).toBeUndefined();
    await run({ app, other, token, pin });
  } finally {
    await other.end();
    await app.close();
  }
}

// The embedded database has one connection: nobody else can hold a lock.
const onServer = it.runIf(hasServer());

onServer(
  'reads are answered while all that write wait for a lock, and so are those who wrote once it is free',
  () =>
    withOther({ poolSize: 6 }, async ({ app, other, token, pin }) => {
      await other.query('BEGIN');
      await other.query('SELECT FROM feed_user_state FOR UPDATE');
      const writes = Array.from({ length: 7 }, (_, at) => pin(at % 2 === 0));
      // Four wait for the lock, as many as may write at once, and three for their turn.
      await expect.poll(() => app.services.db.waiting()).toBeGreaterThanOrEqual(3);
      const reads = Array.from({ length: 20 }, () => app.rest('/task/v1/feeds/list', token));
      for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
      expect(app.services.db.waiting()).toBeGreaterThanOrEqual(3);

      await other.query('COMMIT');
      for (const { errors } of await Promise.all(writes)) expect(errors).toBeUndefined();
      await expect.poll(() => app.services.db.waiting()).toBe(0);
    }),
);

onServer(
  'a write that waits longer than the lock_timeout of the database is told to try again',
  () =>
    withOther(
      {
        prepare: `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 50', current_database()); END $$`,
      },
      async ({ other, pin }) => {
        await other.query('BEGIN');
        await other.query('SELECT FROM feed_user_state FOR UPDATE');
        expect((await pin(false)).errors).toMatchObject([
          { extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 } },
        ]);
        await other.query('COMMIT');
        expect((await pin(false)).errors).toBeUndefined();
      },
    ),
);

onServer(
  'schema, isolation and the forms of dates and binary values are those of the gateway, whatever the database sets',
  () =>
    withOther(
      {
        prepare: `DO $$ BEGIN
          EXECUTE format('ALTER DATABASE %I SET search_path = ''''', current_database());
          EXECUTE format('ALTER DATABASE %I SET datestyle = ''German, DMY''', current_database());
          EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''serializable''', current_database());
          EXECUTE format('ALTER DATABASE %I SET bytea_output = escape', current_database());
        END $$`,
      },
      async ({ app, other, token, pin }) => {
        const at = { start_date_time: '2026-11-01T08:00:00Z', create_dtm: '2026-10-31T07:00:00Z' };
        await app.load([feed(2, { ...at, last_updated_time: 1_793_448_000_000 })]);
        const fields = 'feed_key,start_date_time,create_dtm,last_updated_time';
        const list = `/task/v1/feeds/list?sort_by=startDateTime&limit=1&projections=${fields}`;
        expect((await app.rest(list, token)).json).toMatchObject({
          feed_details: [
            {
              ...{ feed_key: 2, last_updated_time: 1_793_448_000_000 },
              ...{ start_date_time: '2026-11-01 09:00:00', create_dtm: '2026-10-31 08:00:00' },
            },
          ],
        });
        await other.query('BEGIN');
        await other.query('UPDATE feed_user_state SET flag = NOT flag');
        const waiting = pin(false);
        await untilSomebodyWaits(app.services.db);
        await other.query('COMMIT');
        expect((await waiting).errors).toBeUndefined();
      },
    ),
);

onServer('settings in the options of its URL count, but for those of the gateway', async () => {
  const database = await freshDatabase();
  if (database.kind !== 'server') throw new Error('no server');
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=5MB -c timezone=Asia/Tokyo');
  const app = await startApp({ database: { ...database, url: url.href } });
  try {
    const { rows } = await app.services.db.pool.query(
      `SELECT current_setting('work_mem') AS memory, current_setting('TimeZone') AS zone, current_setting('statement_timeout') = '0' AS endless`,
    );
    expect(rows).toEqual([{ memory: '5MB', zone: 'UTC', endless: false }]);
  } finally {
    await app.close();
  }
});
