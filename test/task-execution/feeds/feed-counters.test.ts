import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foldFeedCounts } from '../../../src/task-execution/feeds/selection/fold-feed-counts.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

const depts = ['Bakery', 'Logistics', 'Office'];
/** Quarters of an hour and their thirds, on both sides of midnight, days that are 23 or 25 hours long, and one that was none. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Australia/Lord_Howe',
];
const days = [
  '0001-01-01',
  '0001-01-02',
  '1900-01-01',
  '2011-12-29',
  '2011-12-30',
  '2011-12-31',
  '2026-03-07',
  '2026-03-08',
  '2026-03-29',
  '2026-10-25',
  '2026-12-31',
  '2027-01-01',
  '9998-12-31',
  '9999-12-31',
];
const everyStatus = [
  'NEW',
  'REVIEWED',
  'IN_PROGRESS',
  'OVERDUE',
  'COMPLETED',
  'FORCE_CLOSED',
  'EXPIRED',
];

let app: TestApp;
/** In every zone somebody of all departments, who calls two of them home, and of the store. */
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  const people = zones.map((zone, index) => ({
    record: 'user',
    domain: 'acme',
    login: `u${index}`,
    time_zone_long: zone,
    unit: 'Berlin',
    depts: depts.map((name) => ({ name, home: name !== 'Office' })),
  }));
  await app.load([...organisation, ...people]);
  for (const [index, zone] of zones.entries()) tokens.set(zone, await app.signedIn(`u${index}`));
});
afterAll(() => app.close());
beforeEach(() => sql('DELETE FROM feed'));

const sql = (text: string, params: (string | number | null)[] = []): Promise<unknown> =>
  app.services.db.rows(text, params);

interface Counts {
  total: number;
  priorities: { priority: number; count: number }[];
}

async function count(
  zone: string,
  filter: object,
  startDate: string,
  endDate: string,
): Promise<{ counts: Counts; totalCount: number }> {
  const answer = await app.gql(
    `query ($filter: FeedFilter, $startDate: LocalDate!, $endDate: LocalDate!) { viewer {
      feedCounts(startDate: $startDate, endDate: $endDate, filter: $filter) { total priorities { priority count } }
      feeds(first: 1, filter: $filter) { totalCount } } }`,
    { filter, startDate, endDate },
    tokens.get(zone),
  );
  expect(answer.errors).toBeUndefined();
  return { counts: answer.data.viewer.feedCounts, totalCount: answer.data.viewer.feeds.totalCount };
}

/** Lists and their rows are what the counters say, and no row of them says nothing. */
async function expectSums(): Promise<void> {
  const differences = await app.services.db.rows(
    `WITH counted AS (
       SELECT list, subject_id, level, period, priority_sort, confidential_dept, starts, ends FROM feed_count
       UNION ALL SELECT list, subject_id, p.level, p.period, priority_sort, confidential_dept, p.starts, p.ends FROM feed_count_delta CROSS JOIN LATERAL (VALUES
         ('D', starts_on, n, 0), ('D', ends_on, 0, n), ('M', date_trunc('month', starts_on::timestamp), n, 0), ('M', date_trunc('month', ends_on::timestamp), 0, n),
         ('Y', date_trunc('year', starts_on::timestamp), n, 0), ('Y', date_trunc('year', ends_on::timestamp), 0, n)) p (level, period, starts, ends)
     ), listed AS (
       SELECT list, subject_id, least(start_sort, end_sort) AT TIME ZONE 'UTC' AS first, CASE WHEN end_sort >= '9999-12-31' THEN start_sort ELSE end_sort END AT TIME ZONE 'UTC' AS last,
         priority_sort, coalesce(confidential_dept, -1) AS confidential_dept FROM feed_listing WHERE list >= 20
     ), wanted AS (
       SELECT list, subject_id, p.level, date_trunc(p.unit, e.at)::date AS period, priority_sort, confidential_dept, e.starts, e.ends
       FROM listed CROSS JOIN LATERAL (VALUES (first, 1, 0), (last, 0, 1)) e (at, starts, ends) CROSS JOIN (VALUES ('D', 'day'), ('M', 'month'), ('Y', 'year')) p (level, unit))
     SELECT list, subject_id, level, period, priority_sort, confidential_dept, sum(starts), sum(ends)
     FROM (SELECT * FROM counted UNION ALL SELECT list, subject_id, level, period, priority_sort, confidential_dept, -starts, -ends FROM wanted) d
     GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(starts) <> 0 OR sum(ends) <> 0`,
    [],
  );
  expect(differences).toEqual([]);
  expect(
    await app.services.db.rows('SELECT * FROM feed_count WHERE starts = 0 AND ends = 0', []),
  ).toEqual([]);
}

const KEYS = 60;
const minute = fc.constantFrom(
  '00:00:00',
  '23:59:59.999',
  '18:15:00',
  '18:14:59.999',
  '22:00:00',
  '23:00:00',
  '03:30:00',
  '10:00:00',
  '12:00:00',
  '13:00:00',
);
const instant = fc.option(
  fc
    .tuple(fc.constantFrom(...days.filter((day) => day >= '1900' && day < '9999')), minute)
    .map(([day, time]) => `${day}T${time}Z`),
  { freq: 4 },
);
const priority = fc.option(fc.constantFrom(0, 1, 2, 9));
const item = fc.record({
  kind: fc.constantFrom('PROJECT', 'TASK', 'MESSAGE', 'WALK'),
  unit: fc.option(fc.constantFrom('Berlin', 'Boston'), { freq: 6 }),
  dept: fc.option(fc.constantFrom(...depts), { freq: 6 }),
  is_confidential: fc.constantFrom(false, false, true),
  priority,
  start_date_time: instant,
  end_date_time: instant,
  deleted: fc.constantFrom(false, false, false, false, false, true),
  owner: fc.option(fc.constantFrom('u0', 'u3'), { freq: 2 }),
  assignments: fc.subarray([
    { dept: 'Bakery' },
    { dept: 'Logistics' },
    { unit: 'Berlin' },
    { unit: 'Boston' },
    { user: 'u1' },
    { user: 'u3' },
  ]),
});
const key = fc.integer({ min: 1, max: KEYS });
/** What becomes of feeds; dates and departments of several at once, too. */
const change = fc.oneof(
  fc.record({
    text: fc.constant(
      'UPDATE feed SET start_at = $1, end_at = $2 WHERE feed_key % 5 = $3::int % 5',
    ),
    params: fc.tuple(instant, instant, key),
  }),
  fc.record({
    text: fc.constant(
      'UPDATE feed SET dept_id = (SELECT id FROM dept WHERE name = $1 AND domain_id = feed.domain_id), unit_id = NULL WHERE feed_key % 4 = $2::int % 4',
    ),
    params: fc.tuple(fc.constantFrom(...depts), key),
  }),
  fc.record({
    text: fc.constant(
      'UPDATE feed SET priority = $1::int, is_confidential = NOT is_confidential WHERE feed_key % 3 = $2::int % 3',
    ),
    params: fc.tuple(priority, key),
  }),
  fc.record({
    text: fc.constant(
      'UPDATE feed SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE feed_key = $1',
    ),
    params: fc.tuple(key),
  }),
  fc.record({ text: fc.constant('DELETE FROM feed WHERE feed_key = $1'), params: fc.tuple(key) }),
  fc.record({
    text: fc.constant('DELETE FROM feed_assignment WHERE id % 3 = $1::int % 3'),
    params: fc.tuple(key),
  }),
  fc.record({
    text: fc.constant(
      `INSERT INTO feed_assignment (feed_key, dept_id) SELECT f.feed_key, d.id FROM feed f JOIN dept d USING (domain_id) WHERE d.name = $1 AND f.feed_key % 3 = $2::int % 3
       AND NOT EXISTS (SELECT FROM feed_assignment a WHERE a.feed_key = f.feed_key AND a.dept_id = d.id)`,
    ),
    params: fc.tuple(fc.constantFrom(...depts), key),
  }),
  fc.record({
    text: fc.constant(
      `UPDATE feed SET kind = 'TASK', start_at = end_at, end_at = start_at WHERE feed_key = $1`,
    ),
    params: fc.tuple(key),
  }),
);
const question = fc.record({
  zone: fc.constantFrom(...zones),
  filter: fc.record(
    {
      view: fc.constantFrom('MY_VIEW', 'DEPARTMENT_VIEW', 'STORE_VIEW'),
      taskView: fc.constantFrom('PROJECT_VIEW', 'TASK_VIEW'),
      priorities: fc.subarray([0, 1, 9], { minLength: 1 }),
    },
    { requiredKeys: ['view'] },
  ),
  span: fc.tuple(fc.nat(days.length - 1), fc.nat(days.length - 1)),
});

describe('counters of lists', () => {
  it('count what counting the feeds does: any dates, zones and windows, after any changes, folded in part or not', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 40, maxLength: KEYS }),
        fc.array(change, { maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(question, { minLength: 3, maxLength: 3 }),
        async (items, changes, part, questions) => {
          await app.load(items.map((fields, index) => feed(index + 1, fields)));
          for (const { text, params } of changes) await sql(text, params);
          const answers = async (): Promise<unknown[]> => {
            const found: unknown[] = [];
            for (const { zone, filter, span } of questions) {
              const [start, end] = [days[Math.min(...span)] ?? '', days[Math.max(...span)] ?? ''];
              const answer = await count(zone, filter, start, end);
              // No counter knows a status: this one looks at the feeds.
              expect(answer).toEqual(
                await count(zone, { ...filter, statuses: everyStatus }, start, end),
              );
              seen += answer.counts.total;
              found.push(answer);
            }
            return found;
          };
          const before = await answers();
          await sql('SELECT feed_count_fold($1)', [part]);
          expect(await answers()).toEqual(before);
          await foldFeedCounts(app.services);
          expect(await answers()).toEqual(before);
          await expectSums();
        },
      ),
      { numRuns: 20, seed: 20261121 },
    );
    expect(seen).toBeGreaterThan(300);
  }, 120_000);

  it('stay right when a department, a store and all feeds are deleted', async () => {
    await app.load(
      Array.from({ length: KEYS }, (_, index) =>
        feed(index + 1, {
          dept: depts[index % 3],
          unit: index % 2 ? 'Berlin' : 'Boston',
          end_date_time: '2026-11-20T10:00:00Z',
        }),
      ),
    );
    expect(
      (await count('UTC', { view: 'DEPARTMENT_VIEW' }, '2026-11-20', '2026-11-20')).counts.total,
    ).toBe(KEYS);
    await sql(`DELETE FROM dept WHERE name = 'Office'`);
    await sql(`DELETE FROM unit WHERE name = 'Boston'`);
    expect(
      (await count('UTC', { view: 'STORE_VIEW' }, '2026-11-20', '2026-11-20')).counts.total,
    ).toBe(KEYS / 2);
    await expectSums();
    await sql('DELETE FROM feed');
    await foldFeedCounts(app.services);
    expect(await app.services.db.rows('SELECT FROM feed_count', [])).toEqual([]);
  });

  it('go with lists that are emptied at once, and can be made anew', async () => {
    await app.load(
      Array.from({ length: KEYS }, (_, index) =>
        feed(index + 1, { dept: 'Bakery', unit: 'Berlin', end_date_time: '2026-11-20T10:00:00Z' }),
      ),
    );
    await sql('UPDATE feed SET priority = 9 WHERE feed_key < 10');
    await sql('UPDATE feed_count SET starts = 1000, ends = 7');
    await sql('SELECT feed_count_rebuild()');
    await expectSums();
    expect(
      (await count('UTC', { view: 'STORE_VIEW' }, '2026-11-20', '2026-11-20')).counts.total,
    ).toBe(KEYS);
    await sql('TRUNCATE feed, feed_listing CASCADE');
    await expectSums();
    expect(
      (await count('UTC', { view: 'STORE_VIEW' }, '2026-11-20', '2026-11-20')).totalCount,
    ).toBe(0);
  });

  it('are filled by the steps of their migration, which add only what they lack', async () => {
    const several = [{ dept: 'Bakery' }, { dept: 'Logistics' }, { unit: 'Berlin' }];
    await app.load(
      Array.from({ length: KEYS }, (_, index) =>
        feed(index + 1, {
          assignments: several.slice(index % 3),
          end_date_time: `2026-11-${10 + (index % 9)}T10:00:00Z`,
        }),
      ),
    );
    // As the release before left them; then they count what changes, until the steps come.
    await sql('DELETE FROM feed_count');
    await sql('DELETE FROM feed_count_delta');
    await sql('UPDATE feed_listing SET shared = false');
    await sql(
      `DELETE FROM feed_assignment WHERE dept_id IN (SELECT id FROM dept WHERE name = 'Bakery')`,
    );
    await sql('UPDATE feed SET priority = 9 WHERE feed_key % 4 = 0');
    await sql('SELECT feed_count_fold(20)');
    for (const step of ['step-4-shared', 'step-5-counts']) {
      const text = readFileSync(
        new URL(
          `../../../prisma/migrations/20261126010000_count_addressed_feeds/${step}.sql`,
          import.meta.url,
        ),
        'utf8',
      );
      for (let key: unknown = null; key !== undefined;)
        key = (await app.services.db.rows(text, [key as string | null]))[0]?.[0];
    }
    await sql('DELETE FROM feed_count WHERE starts = 0 AND ends = 0');
    await expectSums();
    const { totalCount } = await count('UTC', { view: 'MY_VIEW' }, '2026-11-10', '2026-11-19');
    expect(totalCount).toBe(KEYS);
  });

  it('are left alone where a user has more feeds than are worth looking up', async () => {
    await app.load([feed(1, { assignments: [{ dept: 'Bakery' }, { unit: 'Berlin' }] })]);
    await sql(
      `INSERT INTO feed (feed_key, domain_id, kind, title, title_fold, owner_user_id, created_at, last_updated_at)
       SELECT n, domain_id, kind, title, title_fold, (SELECT id FROM "user" WHERE login = 'u0'), created_at, last_updated_at FROM feed, generate_series(2, 5003) n`,
    );
    const [first, last] = ['0001-01-01', '9999-12-31'];
    for (const [zone, counted] of [
      ['UTC', 5003],
      ['Europe/Berlin', 1],
    ] as const)
      expect((await count(zone, { view: 'MY_VIEW' }, first, last)).totalCount).toBe(counted);
    await sql(
      `UPDATE feed SET start_at = '2026-11-20T10:00:00Z' WHERE feed_key BETWEEN 10 AND 5001`,
    );
    const day = await count('UTC', { view: 'MY_VIEW' }, '2026-11-20', '2026-11-20');
    expect(day.counts.total).toBe(4992);
  });

  it('are written only for what they count', async () => {
    await app.load(
      Array.from({ length: KEYS }, (_, index) =>
        feed(index + 1, { dept: 'Bakery', unit: 'Berlin', end_date_time: '2026-11-20T10:00:00Z' }),
      ),
    );
    await foldFeedCounts(app.services);
    await sql(
      `UPDATE feed SET status = 'C', title_fold = 'another', feed_type_id = 'X', end_at = end_at + interval '1 hour'`,
    );
    expect(await app.services.db.rows('SELECT * FROM feed_count_delta', [])).toEqual([]);
  });

  it('tell every reader the same total while feeds move between its lists and others fold', async () => {
    const moving = Array.from({ length: KEYS }, (_, index) =>
      feed(index + 1, { dept: 'Bakery', unit: 'Berlin', end_date_time: '2026-11-20T10:00:00Z' }),
    );
    await app.load(moving);
    const repeat = async (
      times: number,
      work: (turn: number) => Promise<unknown>,
    ): Promise<void> => {
      for (let turn = 0; turn < times; turn++) await work(turn);
    };
    const write = (first: number): Promise<void> =>
      repeat(15, (turn) =>
        sql(
          `UPDATE feed SET dept_id = (SELECT id FROM dept WHERE name = $1 AND domain_id = feed.domain_id), priority = $2::int, end_at = end_at + $3::int * interval '1 day' WHERE feed_key BETWEEN $4 AND $4 + 14`,
          [depts[turn % 2] ?? null, turn % 4, turn % 2 ? -9 : 9, first],
        ),
      );
    const read = (zone: string): Promise<void> =>
      repeat(12, async () => {
        const { counts, totalCount } = await count(
          zone,
          { view: 'DEPARTMENT_VIEW' },
          '2026-11-01',
          '2026-12-31',
        );
        expect([counts.total, totalCount]).toEqual([KEYS, KEYS]);
        expect(counts.priorities.reduce((sum, entry) => sum + entry.count, 0)).toBe(KEYS);
        expect(counts.priorities.every((entry) => entry.count >= 0)).toBe(true);
      });
    const fold = (): Promise<void> => repeat(20, () => sql('SELECT feed_count_fold(7)'));
    await Promise.all([
      write(1),
      write(16),
      write(31),
      write(46),
      read('UTC'),
      read('Asia/Kathmandu'),
      fold(),
      fold(),
    ]);
    await expectSums();
    await foldFeedCounts(app.services);
    await expectSums();
  });
});
