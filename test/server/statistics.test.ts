import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/core/database/db.ts';
import { makeStatistics, refreshStatistics } from '../../src/core/database/refresh-statistics.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { planOf, readsDuring, rowsRead } from '../support/plans.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { DEMO: 'true' } });
}, 240_000);
afterAll(() => app.close());

it('the planner knows the tables of the demo once the gateway answers', async () => {
  const rows = await app.services.db.rows(
    `SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND reltuples > 0
       AND relname IN ('feed', 'feed_listing', 'feed_count', 'feed_assignment', 'feed_user_state') AND EXISTS (SELECT FROM pg_stats WHERE tablename = relname) ORDER BY 1`,
    [],
  );
  expect(rows.flat()).toEqual([
    'feed',
    'feed_assignment',
    'feed_count',
    'feed_listing',
    'feed_user_state',
  ]);
});

it('a list within a list reads little more than it answers', async () => {
  const token = await app.signedIn('associate');
  const statements = await readsDuring(app, async () => {
    const { errors, data } = await app.gql(
      '{ viewer { feeds(first: 100) { nodes { tasks(first: 10) { nodes { feedKey } } } } } }',
      {},
      token,
    );
    expect(errors).toBeUndefined();
    expect(data.viewer.feeds.nodes).toHaveLength(100);
  });
  let total = 0;
  for (const statement of statements) total += rowsRead(await planOf(app.services.db, statement));
  expect(statements.length).toBeGreaterThan(1);
  // The store's whole list for the page, and each parent's children: not the table again for each parent.
  expect(total).toBeLessThan(20_000);
});

const isEmbedded = inject('template').kind === 'embedded';

it.runIf(isEmbedded)(
  'the embedded database, which has no autovacuum, is told what changed much, once',
  async () => {
    const { db } = app.services;
    await refreshStatistics(db);
    await db.rows(`UPDATE feed SET task_count = task_count`, []);
    const refreshed = await refreshStatistics(db);
    expect(refreshed).toContain('feed');
    expect(await refreshStatistics(db)).toEqual([]);
  },
);

it.runIf(isEmbedded)(
  'an import, however small against the rest, leaves the statistics of an embedded database fresh',
  async () => {
    const { db } = app.services;
    await app.load([
      ...organisation,
      ...Array.from({ length: 900 }, (_, index) => feed(2_000_000 + index)),
    ]);
    expect(await refreshStatistics(db)).toEqual([]);
  },
);

it.skipIf(isEmbedded)(
  'tables of a server that were never analysed, as after a restore, are analysed once',
  async () => {
    const { db } = app.services;
    await db.rows('CREATE TABLE restored (id int)', []);
    onTestFinished(async () => void (await db.rows('DROP TABLE restored', [])));
    await db.transaction(async (_, tx) => {
      await tx.rows('INSERT INTO restored SELECT generate_series(1, 100)', []);
      expect(await makeStatistics(db)).not.toContain('restored');
    });
    const known = (): Promise<unknown> =>
      db.rows(`SELECT count(*) FROM pg_stats WHERE tablename = 'restored'`, []);
    expect(await known()).toEqual([['0']]);
    expect(await makeStatistics(db)).toContain('restored');
    expect(await known()).toEqual([['1']]);
    expect(await makeStatistics(db)).not.toContain('restored');
  },
);

it('an import does not read the table that it fills for each batch, however large it becomes', async () => {
  const fresh = await startApp();
  onTestFinished(() => fresh.close());
  const { db } = fresh.services;
  const { transaction } = db;
  // What the transaction has read of whole tables, told by itself before it ends.
  let read = NaN;
  const told: Database['transaction'] = (work, last) =>
    transaction(async (client, tx) => {
      const result = await work(client, tx);
      const [row] = await tx.rows(`SELECT pg_stat_get_xact_tuples_returned('feed'::regclass)`, []);
      read = Number(row?.[0]);
      return result;
    }, last);
  Object.assign(db, { transaction: told });
  const records = 5_000;
  await fresh.load([
    ...organisation,
    ...Array.from({ length: records }, (_, index) => feed(index + 1)),
  ]);
  // Planned once, 30,000. What is small is read whole: up to 1,000 or 2,000 feeds, by how they fill pages.
  expect(read).toBeLessThan(4 * records);
});
