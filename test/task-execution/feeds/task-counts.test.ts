import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockFeeds } from '../../../src/task-execution/feeds/records/feed-writes.sql.ts';
import { freshDatabase, startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

const database = await freshDatabase();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ database });
  await app.load(organisation);
});
afterAll(() => app.close());
beforeEach(() => sql('DELETE FROM feed'));

const sql = (text: string, params: (string | number | null)[] = []): Promise<unknown[][]> =>
  app.services.db.rows(text, params);

const task = (key: number, more: object = {}): object => feed(key, { kind: 'TASK', ...more });

/** Feeds whose counts differ from the tasks below them. */
const wrong = (): Promise<unknown[][]> =>
  sql(`SELECT p.feed_key FROM feed p CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE status IN ('N', 'R', 'P', 'O')) AS open, count(*) AS every
      FROM feed t WHERE t.parent_feed_key = p.feed_key AND t.kind = 'TASK' AND t.deleted_at IS NULL) c
    WHERE (p.task_count, p.feed_task_count) <> (c.open, c.every)`);

const KEYS = 24;
const key = fc.integer({ min: 1, max: KEYS });
const rest = fc.integer({ min: 0, max: 4 });
const status = fc.constantFrom('N', 'R', 'P', 'O', 'C', 'F', 'E');
/** The first six are parents. */
const item = fc.record({
  kind: fc.constantFrom('TASK', 'TASK', 'TASK', 'MESSAGE'),
  parent_feed_key: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 6 }),
  status,
  deleted: fc.constantFrom(false, false, false, true),
});
const change = fc.oneof(
  fc.tuple(fc.constant('UPDATE feed SET status = $1 WHERE feed_key % 5 = $2'), status, rest),
  fc.tuple(
    fc.constant(
      'UPDATE feed SET parent_feed_key = $1::int % 6 + 1 WHERE feed_key % 5 = $2 AND feed_key > 6',
    ),
    ...[key, rest],
  ),
  fc.tuple(
    fc.constant('UPDATE feed SET parent_feed_key = NULL, kind = $1 WHERE feed_key = $2'),
    fc.constantFrom('TASK', 'MESSAGE'),
    key,
  ),
  fc.tuple(
    fc.constant(
      'UPDATE feed SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE feed_key % 5 = $1',
    ),
    rest,
  ),
  fc.tuple(fc.constant('DELETE FROM feed WHERE feed_key = $1'), key),
  fc.tuple(
    fc.constant(
      `INSERT INTO feed (domain_id, kind, parent_feed_key, status, title, title_fold, created_at, last_updated_at)
       SELECT domain_id, 'TASK', parent_feed_key, $1, title, title_fold, created_at, last_updated_at FROM feed WHERE feed_key % 5 = $2`,
    ),
    ...[status, rest],
  ),
);

const closingTask = `mutation ($id: ID!) { changeFeedStatus(input: { feedId: $id, status: COMPLETED }) { __typename } }`;
const closed = { __typename: 'ChangeFeedStatusPayload' };
const idOf = (feedKey: number): string => Buffer.from(`Feed:${feedKey}`).toString('base64');
const closeTask = async (feedKey: number, token: string): Promise<unknown> =>
  (await app.gql(closingTask, { id: idOf(feedKey) }, token)).data.changeFeedStatus;

describe('counts of tasks', () => {
  it('are those of the tasks that are there, after any statements and imports', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: KEYS - 6, maxLength: KEYS - 6 }),
        fc.array(change, { maxLength: 6 }),
        fc.array(fc.tuple(key, status), { maxLength: 3 }),
        async (items, changes, again) => {
          await sql('DELETE FROM feed');
          const parents = Array.from({ length: 6 }, (_, index) => feed(index + 1));
          await app.load([...parents, ...items.map((fields, index) => feed(index + 7, fields))]);
          for (const [text, ...params] of changes) await sql(text, params);
          await app.load(
            again.map(([at, to]) => feed(at, { kind: 'TASK', status: to, deleted: false })),
          );
          expect(await wrong()).toEqual([]);
        },
      ),
      { numRuns: 40, seed: 20261127 },
    );
  });

  it('count each task that is closed, also when several are at the same moment', async () => {
    const parent = { parent_feed_key: 1, status: 'P' };
    await app.load([feed(1, { kind: 'PROJECT' }), ...[2, 3, 4, 5].map((at) => task(at, parent))]);
    const token = await app.signedIn('ana');
    const close = (at: number): Promise<unknown> => closeTask(at, token);
    const held = await holdFeed(1);
    const closes = [close(2), close(3), close(4)];
    await held.waiters(closes.length);
    await held.release();
    expect(await Promise.all(closes)).toEqual([closed, closed, closed]);
    const answer = await app.rest(
      '/task/v1/feeds/list?projections=feed_key,task_count,feed_task_count&task_view=P',
      token,
    );
    expect(answer.json['feed_details']).toEqual([
      { feed_key: 1, task_count: 1, feed_task_count: 4 },
    ]);
  });

  it('do not stand in the way of flags on the same feeds, nor these in theirs', async () => {
    await app.load([
      feed(1, { kind: 'PROJECT' }),
      ...[2, 3].map((at) => task(at, { parent_feed_key: 1, status: 'P' })),
    ]);
    const token = await app.signedIn('ana');
    const held = await holdFeed(1);
    const watched = app.gql(
      `mutation ($ids: [ID!]!) { setFeedState(input: { feedIds: $ids, watched: true }) { ... on SetFeedStatePayload { results { feed { watched } } } } }`,
      { ids: [idOf(1), idOf(2)] },
      token,
    );
    await held.waiters(1);
    const closing = closeTask(2, token);
    await held.waiters(2);
    await held.release();
    expect((await watched).data.setFeedState.results).toEqual(
      [1, 2].map(() => ({ feed: { watched: true } })),
    );
    expect(await closing).toEqual(closed);
    // Somebody sets a flag on it for the first time.
    const flagged = await holdFeed(3, 'KEY SHARE');
    expect(await closeTask(3, token)).toEqual(closed);
    await flagged.release();
    // An import holds what it writes until its end; on the embedded database nobody else writes meanwhile.
    const { db } = app.services;
    const flag = (): Promise<any> =>
      app.gql(
        'mutation ($id: ID!) { setFeedState(input: { feedIds: [$id], pinned: true }) { ... on SetFeedStatePayload { results { feed { pinned } } } } }',
        { id: idOf(2) },
        token,
      );
    const answer = await db.transaction(async (_, tx) => {
      await lockFeeds.rows(tx, { feedKeys: [2] });
      return db.embedded ? undefined : flag();
    });
    expect((answer ?? (await flag())).data.setFeedState.results).toEqual([
      { feed: { pinned: true } },
    ]);
    expect(await wrong()).toEqual([]);
  });

  it('that are wrong are mended by the step of the migration, and no others are written', async () => {
    await app.load([
      ...[1, 2, 3].map((at) => feed(at, { kind: 'PROJECT' })),
      ...[4, 5, 6, 7].map((at) => task(at, { parent_feed_key: (at % 2) + 1, status: 'P' })),
    ]);
    await sql('UPDATE feed SET task_count = 9 WHERE feed_key = 1');
    await sql('UPDATE feed SET feed_task_count = 9 WHERE feed_key = 3');
    const rows = (): Promise<unknown[][]> =>
      sql('SELECT ctid::text FROM feed WHERE feed_key NOT IN (1, 3) ORDER BY feed_key');
    const others = await rows();
    const step = readFileSync(
      new URL(
        '../../../prisma/migrations/20261127000000_count_tasks_by_difference/step-1-counts.sql',
        import.meta.url,
      ),
      'utf8',
    );
    expect(await sql(step, [null])).toEqual([['7']]);
    expect(await sql(step, ['7'])).toEqual([]);
    expect(await wrong()).toEqual([]);
    expect(await rows()).toEqual(others);
  });
});

/** Locks a feed, until it is released; the embedded database has one connection, on which all come one after the other. */
async function holdFeed(
  feedKey: number,
  how: 'NO KEY UPDATE' | 'KEY SHARE' = 'NO KEY UPDATE',
): Promise<{ waiters: (count: number) => Promise<void>; release: () => Promise<void> }> {
  if (database?.kind !== 'server') {
    const nothing = (): Promise<void> => Promise.resolve();
    return { waiters: nothing, release: nothing };
  }
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`BEGIN; SELECT FROM feed WHERE feed_key = ${feedKey} FOR ${how}`);
  return {
    waiters: (count) =>
      vi.waitFor(
        async () => {
          const { rows } = await other.query(
            `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`,
          );
          expect(rows).toHaveLength(count);
        },
        { timeout: 20_000 },
      ),
    release: async () => void (await other.query('COMMIT')),
  };
}
