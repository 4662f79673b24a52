import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

const depts = ['Bakery', 'Logistics', 'Office'];
const days = Array.from(
  { length: 12 },
  (_, index) => `2026-11-${String(index + 15).padStart(2, '0')}`,
);
const optional = <T>(values: readonly T[]): fc.Arbitrary<T | null> =>
  fc.option(fc.constantFrom(...values));

/** Few different values; most feeds are in several lists of the viewer, many are confidential, some have no dates or one. */
const items = fc
  .sample(
    fc.record({
      kind: fc.constantFrom('PROJECT', 'TASK', 'MESSAGE'),
      owner: optional(['ana', 'bob']),
      unit: optional(['Berlin', 'Boston']),
      dept: optional(depts),
      assignments: fc.subarray(
        [
          { user: 'ana' },
          { user: 'chief' },
          { unit: 'Berlin' },
          ...depts.map((dept) => ({ dept })),
        ],
        { maxLength: 4 },
      ),
      is_confidential: fc.boolean(),
      priority: optional([1, 2, 3, 9]),
      status: fc.constantFrom('N', 'R', 'P', 'O', 'C', 'F', 'E'),
      start_date_time: optional(days.map((day) => `${day}T23:30:00Z`)),
      end_date_time: optional(days.map((day) => `${day}T22:59:59.999Z`)),
      follow: fc.boolean(),
      deleted: fc.constantFrom(false, false, false, true),
    }),
    { numRuns: 220, seed: 20261121 },
  )
  .map(({ follow, ...item }, index) =>
    feed(index + 1, { ...item, user_states: [{ user: 'ana', follow, pin: index % 3 === 0 }] }),
  );

let app: TestApp;
/** ana: two departments, one of them her home, and a store; chief: three departments and no store; tess: a store and no department. */
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  const chief = {
    record: 'user',
    domain: 'acme',
    login: 'chief',
    depts: depts.map((name) => ({ name, home: name !== 'Office' })),
  };
  await app.load([...organisation, chief, ...items]);
  for (const login of ['ana', 'chief', 'tess']) tokens.set(login, await app.signedIn(login));
});
afterAll(() => app.close());

interface Row {
  feedKey: number;
  priority: number | null;
  startDateTime: string | null;
  endDateTime: string | null;
}

/** The rows of all pages of a list, and what the list says of their number. */
async function walk(
  filter: object,
  token: string | undefined,
): Promise<{ rows: Row[]; totalCount: number }> {
  const rows: Row[] = [];
  let after: string | null = null;
  let totalCount = 0;
  do {
    const answer: Awaited<ReturnType<TestApp['gql']>> = await app.gql(
      `query ($filter: FeedFilter, $after: Cursor) { viewer { feeds(first: 70, after: $after, filter: $filter) {
        totalCount pageInfo { hasNextPage endCursor } nodes { feedKey priority startDateTime endDateTime } } } }`,
      { filter, after },
      token,
    );
    expect(answer.errors).toBeUndefined();
    const { nodes, pageInfo, totalCount: total } = answer.data.viewer.feeds;
    rows.push(...nodes);
    totalCount = total;
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return { rows, totalCount };
}

async function counts(
  filter: object,
  startDate: string,
  endDate: string,
  token: string | undefined,
): Promise<{ byPriority: Map<number, number>; total: number }> {
  const answer = await app.gql(
    `query ($filter: FeedFilter, $startDate: LocalDate!, $endDate: LocalDate!) { viewer { feedCounts(startDate: $startDate, endDate: $endDate, filter: $filter) {
      total priorities { priority count } } } }`,
    { filter, startDate, endDate },
    token,
  );
  expect(answer.errors).toBeUndefined();
  const { total, priorities } = answer.data.viewer.feedCounts;
  const pairs = (priorities as { priority: number; count: number }[]).map(
    ({ priority, count }) => [priority, count] as const,
  );
  expect(new Set(pairs.map(([priority]) => priority)).size).toBe(pairs.length);
  return { byPriority: new Map(pairs.filter(([, count]) => count > 0)), total };
}

function byPriority(rows: readonly Row[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const row of rows) found.set(row.priority ?? 0, (found.get(row.priority ?? 0) ?? 0) + 1);
  return found;
}

const filters = fc.record(
  {
    view: fc.constantFrom('MY_VIEW', 'DEPARTMENT_VIEW', 'STORE_VIEW'),
    taskView: fc.constantFrom('PROJECT_VIEW', 'TASK_VIEW'),
    statuses: fc.subarray(['NEW', 'IN_PROGRESS', 'OVERDUE', 'COMPLETED'], { minLength: 2 }),
    priorities: fc.subarray([1, 2, 9], { minLength: 2 }),
    pin: fc.boolean(),
  },
  { requiredKeys: ['view'] },
);
const logins = fc.constantFrom('ana', 'chief', 'tess');

it('counts are the numbers of rows over all pages: in every view and filter, of the days asked for, each feed once', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(
      logins,
      filters,
      fc.nat(days.length - 1),
      fc.nat(days.length - 1),
      async (login, filter, one, other) => {
        const token = tokens.get(login);
        const list = await walk(filter, token);
        expect(list.totalCount).toBe(list.rows.length);
        expect(new Set(list.rows.map((row) => row.feedKey)).size).toBe(list.rows.length);

        const always = await counts(filter, '2000-01-01', '2099-12-31', token);
        const dated = list.rows.filter(
          (row) => row.startDateTime !== null || row.endDateTime !== null,
        );
        expect(always).toEqual({ byPriority: byPriority(dated), total: dated.length });

        const window = days.slice(Math.min(one, other), Math.max(one, other) + 1);
        const within = await walk({ ...filter, selectedDates: window }, token);
        expect(within.totalCount).toBe(within.rows.length);
        expect(await counts(filter, window[0] ?? '', window.at(-1) ?? '', token)).toEqual({
          byPriority: byPriority(within.rows),
          total: within.rows.length,
        });
        seen += within.rows.length;
      },
    ),
    { numRuns: 80, seed: 20261121 },
  );
  expect(seen).toBeGreaterThan(200);
});

it('a feed is in one list of departments and one of units, also when it moves; in several of those it is addressed to', async () => {
  const several = {
    assignments: [
      { dept: 'Bakery' },
      { dept: 'Logistics' },
      { unit: 'Berlin' },
      { unit: 'Boston' },
    ],
  };
  const audiences = async (): Promise<string> => {
    const rows = await app.services.db.rows(
      'SELECT list / 10, count(*) FROM feed_listing WHERE feed_key = 900 AND list % 10 = 0 GROUP BY 1 ORDER BY 1',
      [],
    );
    return rows.map((row) => row.join(':')).join(' ');
  };
  const moves = [
    { dept: 'Bakery', unit: 'Berlin' },
    { dept: 'Logistics', unit: 'Boston' },
    { dept: 'Office', unit: 'Berlin', kind: 'TASK' },
  ];
  for (const place of moves) {
    await app.load([feed(900, { ...several, ...place })]);
    expect(await audiences()).toBe('1:1 2:2 3:2 4:1 5:1');
  }
  await app.services.db.rows(
    `UPDATE feed SET dept_id = (SELECT id FROM dept WHERE name = 'Bakery' AND domain_id = feed.domain_id) WHERE feed_key = 900`,
    [],
  );
  expect(await audiences()).toBe('1:1 2:2 3:2 4:1 5:1');
  expect(
    await app.services.db.rows(
      'SELECT list, feed_key FROM feed_listing WHERE list >= 40 GROUP BY 1, 2 HAVING count(*) > 1',
      [],
    ),
  ).toEqual([]);
});
