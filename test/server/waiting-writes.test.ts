import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { freshDatabase, startApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

const PIN =
  'mutation ($id: ID!, $pinned: Boolean) { setFeedState(input: { feedIds: [$id], pinned: $pinned }) { __typename } }';

it('reads are answered while all that write wait for a lock, and so are those who wrote once it is free', async () => {
  if (inject('template').kind === 'embedded') return; // it has one connection
  const database = await freshDatabase();
  if (database.kind !== 'server') throw new Error('no server');
  const other = new pg.Client(database.url);
  await other.connect();
  const app = await startApp({ database: { ...database, poolSize: 6 } });
  try {
    await app.load([...organisation, feed(1)]);
    const token = await app.signedIn('ana');
    const id = Buffer.from('Feed:1').toString('base64');
    const pin = (pinned: boolean) => app.gql(PIN, { id, pinned }, token);
    expect((await pin(true)).errors).toBeUndefined();

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
  } finally {
    await other.end();
    await app.close();
  }
});

it('a write that waits longer than the lock_timeout of the database is told to try again', async () => {
  if (inject('template').kind === 'embedded') return; // nobody else can hold a lock
  const database = await freshDatabase();
  if (database.kind !== 'server') throw new Error('no server');
  const other = new pg.Client(database.url);
  await other.connect();
  await other.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 50', current_database()); END $$`,
  );
  const app = await startApp({ database });
  try {
    await app.load([...organisation, feed(1)]);
    const token = await app.signedIn('ana');
    const id = Buffer.from('Feed:1').toString('base64');
    const pin = (pinned: boolean) => app.gql(PIN, { id, pinned }, token);
    expect((await pin(true)).errors).toBeUndefined();

    await other.query('BEGIN');
    await other.query('SELECT FROM feed_user_state FOR UPDATE');
    expect((await pin(false)).errors).toMatchObject([
      { extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 1 } },
    ]);
    await other.query('COMMIT');
    expect((await pin(false)).errors).toBeUndefined();
  } finally {
    await other.end();
    await app.close();
  }
});
