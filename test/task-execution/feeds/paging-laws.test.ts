import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { feed, organisation } from '../../support/records.ts';

interface Item {
  feed_key: number;
  feed_title: string;
  priority: number | null;
  feed_type_id: string | null;
  start_date_time: string | null;
  end_date_time: string | null;
  profile: string | null;
  status: string;
}

const columns = [
  'profileId',
  'endDateTime',
  'priority',
  'startDateTime',
  'feedTitle',
  'feedTypeId',
] as const;
type Column = (typeof columns)[number];

/** Few distinct values, so that ties are the rule; half the items reach ana twice or thrice, through other lists. */
const items: Item[] = fc
  .sample(
    fc.record({
      feed_title: fc.constantFrom(
        'Ärger',
        'apfel',
        'Zebra',
        'zebra',
        '100% cotton',
        'émigré',
        '😀 first',
        'a_b',
        'straße',
        'STRASSE',
      ),
      priority: fc.option(fc.integer({ min: 1, max: 3 })),
      // More than are read one by one.
      feed_type_id: fc.option(fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTaé')),
      start_date_time: fc.option(
        fc.constantFrom('2026-11-01T00:00:00Z', '2026-11-01T00:00:00.500Z', '2026-12-01T10:00:00Z'),
      ),
      end_date_time: fc.option(
        fc.constantFrom('2026-12-02T00:00:00Z', '2026-12-03T00:00:00Z', '2026-12-03T00:00:00.001Z'),
      ),
      profile: fc.option(fc.constantFrom('Clerk', 'Chief')),
      status: fc.constantFrom('N', 'R', 'P', 'C', 'F', 'E'),
    }),
    { numRuns: 120, seed: 20261120 },
  )
  .map((item, index) => ({ feed_key: index + 1, ...item }));

let app: TestApp;
let ana: string;
const profileIds = new Map<string, number>();

beforeAll(async () => {
  app = await startApp();
  const reach = [
    {},
    { assignments: [{ dept: 'Bakery' }] },
    { assignments: [{ user: 'ana' }, { unit: 'Berlin' }] },
    { owner: 'bob', assignments: [{ dept: 'Logistics' }] },
  ];
  await app.load([
    ...organisation,
    ...items.map((item) => feed(item.feed_key, { ...item, ...reach[item.feed_key % 4] })),
  ]);
  ana = await app.signedIn('ana');
  for (const profile of await app.services.db.prisma.profile.findMany())
    profileIds.set(profile.name, profile.id);
});
afterAll(() => app.close());

const fold = (text: string): string => text.toUpperCase().toLowerCase();
const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const keyOf: Record<Column, (item: Item) => number | string> = {
  profileId: (item) => (item.profile === null ? Infinity : (profileIds.get(item.profile) ?? NaN)),
  endDateTime: (item) => (item.end_date_time === null ? Infinity : Date.parse(item.end_date_time)),
  priority: (item) => item.priority ?? Infinity,
  startDateTime: (item) =>
    item.start_date_time === null ? Infinity : Date.parse(item.start_date_time),
  feedTitle: (item) => fold(item.feed_title),
  feedTypeId: (item) => item.feed_type_id ?? '\u{10FFFF}',
};

type Order = { column: Column; descending: boolean }[];

/** What the documents say the list is, by brute force. */
function expected(order: Order, keep: (item: Item) => boolean): number[] {
  const compare = (a: Item, b: Item): number => {
    for (const { column, descending } of order) {
      const [x, y] = [keyOf[column](a), keyOf[column](b)];
      const sign =
        typeof x === 'string' && typeof y === 'string' ? bytes(x, y) : x < y ? -1 : x > y ? 1 : 0;
      if (sign !== 0) return descending ? -sign : sign;
    }
    return order.at(-1)?.descending ? b.feed_key - a.feed_key : a.feed_key - b.feed_key;
  };
  return items
    .filter(keep)
    .sort(compare)
    .map((item) => item.feed_key);
}

const orders = fc
  .shuffledSubarray([...columns], { minLength: 1 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((column) =>
        fc.record({ column: fc.constant(column), descending: fc.boolean() }),
      ),
    ),
  );

const graphqlNames: Record<Column, string> = {
  profileId: 'PROFILE_ID',
  endDateTime: 'END_DATE_TIME',
  priority: 'PRIORITY',
  startDateTime: 'START_DATE_TIME',
  feedTitle: 'FEED_TITLE',
  feedTypeId: 'FEED_TYPE_ID',
};
const statusNames: Record<string, string> = {
  N: 'NEW',
  R: 'REVIEWED',
  P: 'IN_PROGRESS',
  C: 'COMPLETED',
  F: 'FORCE_CLOSED',
  E: 'EXPIRED',
};

interface Query {
  order: Order;
  statuses: string[] | null;
  priorities: number[] | null;
  size: number;
}

interface Page {
  keys: number[];
  next: string | null;
  previous: string | null;
}

async function restPage(
  { order, statuses, priorities, size }: Query,
  position: { after?: string | null; before?: string | null },
): Promise<Page> {
  const query = new URLSearchParams({ limit: String(size), projections: 'feed_key' });
  query.set('sort_by', order.map((item) => item.column).join());
  query.set('sort_order', order.map((item) => (item.descending ? 'D' : 'A')).join());
  if (statuses) query.set('status', statuses.join());
  if (priorities) query.set('priority', priorities.join());
  if (position.after) query.set('starting_after', position.after);
  if (position.before) query.set('ending_before', position.before);
  const { json } = await app.rest(`/task/v1/feeds/list?${query.toString()}`, ana);
  if (json['status'] === 'OK')
    expect(json['has_more']).toBe(
      (position.before ? json['previous_cursor'] : json['next_cursor']) !== null,
    );
  else expect(json['errorCode']).toBe('E404');
  return {
    keys: (json['feed_details'] ?? []).map((row: { feed_key: number }) => row.feed_key),
    next: json['next_cursor'] ?? null,
    previous: json['previous_cursor'] ?? null,
  };
}

async function graphqlPage(
  { order, statuses, priorities, size }: Query,
  position: { after?: string | null; before?: string | null; last?: boolean },
): Promise<Page> {
  const backward = position.last || position.before;
  const answer = await app.gql(
    `query ($first: Int, $last: Int, $after: Cursor, $before: Cursor, $filter: FeedFilter, $orderBy: [FeedOrder!]) {
      viewer { feeds(first: $first, last: $last, after: $after, before: $before, filter: $filter, orderBy: $orderBy) {
        nodes { feedKey } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
    {
      [backward ? 'last' : 'first']: size,
      ...(position.after && { after: position.after }),
      ...(position.before && { before: position.before }),
      filter: { statuses: statuses?.map((status) => statusNames[status]), priorities },
      orderBy: order.map((item) => ({
        field: graphqlNames[item.column],
        direction: item.descending ? 'DESC' : 'ASC',
      })),
    },
    ana,
  );
  expect(answer.errors).toBeUndefined();
  const { nodes, pageInfo } = answer.data.viewer.feeds;
  return {
    keys: nodes.map((node: { feedKey: number }) => node.feedKey),
    next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    previous: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
  };
}

const queries = fc.record({
  order: orders,
  statuses: fc.option(fc.subarray(['N', 'R', 'P', 'C', 'F', 'E'], { minLength: 1 })),
  priorities: fc.option(fc.subarray([1, 2, 3], { minLength: 1 })),
  size: fc.integer({ min: 1, max: 60 }),
});

/** The feeds are not overdue: the configured span is 0 and all end in the future of the test's clock. */
const wanted = ({ order, statuses, priorities }: Query): number[] =>
  expected(
    order,
    (item) =>
      (statuses?.includes(item.status) ?? true) &&
      (priorities === null || (item.priority !== null && priorities.includes(item.priority))),
  );

it('F152 walking forward and back, from either face and changing faces on the way, gives the sorted set', async () => {
  await fc.assert(
    fc.asyncProperty(queries, fc.infiniteStream(fc.boolean()), async (query, faces) => {
      const face = (): typeof restPage => (faces.next().value ? restPage : graphqlPage);
      const forward: number[] = [];
      let page = await face()(query, {});
      expect(page.previous).toBeNull();
      forward.push(...page.keys);
      while (page.next !== null) {
        page = await face()(query, { after: page.next });
        expect(page.previous).not.toBeNull();
        forward.push(...page.keys);
      }
      expect(forward).toEqual(wanted(query));

      const backward: number[][] = [];
      page = await graphqlPage(query, { last: true });
      expect(page.next).toBeNull();
      backward.push(page.keys);
      while (page.previous !== null) {
        page = await face()(query, { before: page.previous });
        expect(page.next).not.toBeNull();
        backward.push(page.keys);
      }
      expect(backward.reverse().flat()).toEqual(forward);
    }),
    { numRuns: 60 },
  );
}, 120_000);

it('reads an order of many values by few statements, however many of them are on a page', async () => {
  const statementsOf = async (sort: string): Promise<number> => {
    let count = 0;
    const restore = interceptRows(app.services.db, (run) => (text, ...rest) => {
      // Not sessions and configuration, which are remembered for a while, nor the gateway's own jobs.
      if (text.startsWith('SELECT f.feed_key')) count++;
      return run(text, ...rest);
    });
    try {
      const { json } = await app.rest(`/task/v1/feeds/list?limit=100&sort_by=${sort}`, ana);
      expect(json['feed_details'].length).toBeGreaterThan(70);
    } finally {
      restore();
    }
    return count;
  };
  const one = await statementsOf('endDateTime');
  expect(one).toBeGreaterThan(0);
  // One less where the session is remembered.
  expect(await statementsOf('feedTypeId,startDateTime')).toBeLessThanOrEqual(one + 8);
});

it('under concurrent inserts and deletes no row comes twice and no untouched row is missed', async () => {
  const { db } = app.services;
  await fc.assert(
    fc.asyncProperty(
      queries,
      fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 15 }),
      async (base, victims) => {
        const query = {
          ...base,
          size: Math.min(Math.max(base.size, 8), 20),
          statuses: null,
          priorities: null,
        };
        const touched = new Set(victims);
        const seen: number[] = [];
        let inserted = 10_000;
        let position: string | null = null;
        try {
          do {
            const page: Page = await restPage(query, { after: position });
            seen.push(...page.keys);
            position = page.next;
            // The row of the cursor goes first of all.
            const gone = [page.keys.at(-1), victims.shift()].filter(
              (key) => key !== undefined && touched.has(key),
            );
            await db.rows(
              'UPDATE feed SET deleted_at = now() WHERE feed_key = ANY ($1::bigint[])',
              [gone.map(Number)],
            );
            await app.load([
              feed(++inserted, {
                feed_title: 'm',
                priority: 2,
                end_date_time: '2026-12-03T00:00:00Z',
              }),
            ]);
          } while (position !== null);
          expect(new Set(seen).size).toBe(seen.length);
          const steady = (keys: readonly number[]): number[] =>
            keys.filter((key) => key <= 120 && !touched.has(key));
          expect(steady(seen)).toEqual(steady(wanted(query)));
        } finally {
          await db.rows('DELETE FROM feed WHERE feed_key > 10000', []);
          await db.rows('UPDATE feed SET deleted_at = NULL WHERE deleted_at IS NOT NULL', []);
        }
      },
    ),
    { numRuns: 10 },
  );
}, 120_000);
