import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BOUNDS } from '../../../src/task-execution/feeds/selection/list-ranges.sql.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

const zones = {
  Berlin: 'Europe/Berlin',
  Boston: 'America/New_York',
  Auckland: 'Pacific/Auckland',
} as const;
type Place = keyof typeof zones;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const midnight = (place: Place, day: string): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(zones[place]).epochMilliseconds;

/** Around the days on which the clocks of the three stores change. */
const days = ['2026-09-26', '2026-09-28', '2026-10-25', '2026-10-26', '2026-11-01', '2026-11-02'];
const edges = (Object.keys(zones) as Place[]).flatMap((place) =>
  days.flatMap((day) => [-1, 0, 1].map((off) => midnight(place, day) + off)),
);
const instants = fc.oneof(
  fc.constantFrom(...edges),
  fc
    .integer({ min: Date.UTC(2026, 7, 1) / 900_000, max: Date.UTC(2027, 0, 1) / 900_000 })
    .map((quarter) => quarter * 900_000),
);
/** From nothing to years; some end before they start. */
const lengths = fc.oneof(
  fc.constantFrom(
    0,
    HOUR,
    DAY,
    2 * DAY,
    2 * DAY + 1,
    10 * DAY - 1,
    64 * DAY,
    1_024 * DAY,
    5_000 * DAY,
    -DAY,
  ),
  fc.integer({ min: 0, max: 40 * 24 }).map((hours) => hours * HOUR),
);

interface Item {
  feed_key: number;
  unit: Place;
  dept: string;
  is_confidential: boolean;
  feed_title: string;
  priority: number | null;
  start: number | null;
  end: number | null;
}

const random: Item[] = fc
  .sample(
    fc.record({
      unit: fc.constantFrom(...(Object.keys(zones) as Place[])),
      dept: fc.constantFrom('Bakery', 'Logistics'),
      is_confidential: fc.constantFrom(false, false, false, true),
      feed_title: fc.constantFrom('a', 'b', 'c'),
      priority: fc.option(fc.integer({ min: 1, max: 3 })),
      start: instants,
      length: lengths,
      dates: fc.constantFrom('both', 'both', 'both', 'both', 'start', 'end', 'none'),
    }),
    { numRuns: 400, seed: 20261122 },
  )
  .map(({ start, length, dates, ...item }, index) => ({
    feed_key: index + 1,
    ...item,
    start: dates === 'both' || dates === 'start' ? start : null,
    end: dates === 'both' || dates === 'end' ? start + length : null,
  }));

/** Years before the others: from an hour to three years, all of which end as the second of these days begins. */
const [DAY_BEFORE, LAST_DAY] = ['2024-05-31', '2024-06-01'];
const ending = Array.from({ length: 210 }, (_, power): Item => {
  const end = midnight('Berlin', LAST_DAY);
  return {
    feed_key: random.length + power + 1,
    unit: 'Berlin',
    dept: 'Bakery',
    is_confidential: false,
    feed_title: 'd',
    priority: null,
    start: Math.ceil(end - HOUR * 1.05 ** power),
    end,
  };
});
const items = [...random, ...ending];

let app: TestApp;
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  const user = (login: string, more: object): object => ({
    record: 'user',
    domain: 'acme',
    login,
    ...more,
  });
  const iso = (ms: number | null): string | null =>
    ms === null ? null : new Date(ms).toISOString();
  await app.load([
    ...organisation,
    { record: 'unit', domain: 'acme', name: 'Auckland', time_zone: zones.Auckland },
    user('kiri', { unit: 'Auckland', depts: [{ name: 'Logistics', home: true }] }),
    user('lead', { unit: 'Boston', depts: [{ name: 'Bakery', home: true }] }),
    ...items.map(({ start, end, ...item }) =>
      feed(item.feed_key, {
        ...item,
        owner: 'ana',
        start_date_utc: iso(start),
        end_date_utc: iso(end),
      }),
    ),
  ]);
  for (const { login } of viewers) tokens.set(login, await app.signedIn(login));
});
afterAll(() => app.close());

interface Viewer {
  login: string;
  place: Place;
  home: string | null;
  depts: readonly string[];
}
const viewers: readonly Viewer[] = [
  { login: 'ana', place: 'Berlin', home: 'Bakery', depts: ['Bakery', 'Logistics'] },
  { login: 'tess', place: 'Boston', home: null, depts: [] },
  { login: 'lead', place: 'Boston', home: 'Bakery', depts: ['Bakery'] },
  { login: 'kiri', place: 'Auckland', home: 'Logistics', depts: ['Logistics'] },
];

const columns = {
  START_DATE_TIME: (item: Item) => item.start ?? Infinity,
  END_DATE_TIME: (item: Item) => item.end ?? Infinity,
  PRIORITY: (item: Item) => item.priority ?? Infinity,
  FEED_TITLE: (item: Item) => item.feed_title.charCodeAt(0),
};
type Column = keyof typeof columns;

const queries = fc.record({
  viewer: fc.constantFrom(...viewers),
  view: fc.constantFrom('STORE_VIEW', 'DEPARTMENT_VIEW', 'MY_VIEW'),
  from: fc.oneof(fc.constantFrom(...days), fc.integer({ min: 0, max: 150 })),
  length: fc.constantFrom(1, 1, 2, 7, 30, 120),
  order: fc
    .shuffledSubarray(Object.keys(columns) as Column[], { minLength: 1 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((field) =>
          fc.record({ field: fc.constant(field), direction: fc.constantFrom('ASC', 'DESC') }),
        ),
      ),
    ),
  priorities: fc.option(fc.subarray([1, 2, 3]), { freq: 2 }),
  homeDepts: fc.option(fc.constant([]), { freq: 1 }),
  size: fc.integer({ min: 1, max: 60 }),
});
type Query = typeof queries extends fc.Arbitrary<infer Value> ? Value : never;

const rangeOf = ({ from, length }: Query): { from: string; to: string } => {
  const first =
    typeof from === 'string'
      ? Temporal.PlainDate.from(from)
      : Temporal.PlainDate.from('2026-08-01').add({ days: from });
  return { from: first.toString(), to: first.add({ days: length - 1 }).toString() };
};

/** What a calendar has, by its definition: visible, dated, overlapping the days of the viewer's zone, in the order asked for. */
function expected(query: Query): number[] {
  const { viewer, view, order, priorities, homeDepts } = query;
  const { from, to } = rangeOf(query);
  const first = midnight(viewer.place, from);
  const next = midnight(viewer.place, Temporal.PlainDate.from(to).add({ days: 1 }).toString());
  const sees = (item: Item): boolean =>
    (view === 'STORE_VIEW'
      ? item.unit === viewer.place
      : view === 'DEPARTMENT_VIEW'
        ? viewer.depts.includes(item.dept)
        : viewer.login === 'ana') &&
    (!item.is_confidential || (homeDepts === null && item.dept === viewer.home));
  const overlaps = ({ start, end }: Item): boolean => {
    const begin = Math.min(start ?? Infinity, end ?? Infinity);
    const last = end ?? start ?? -Infinity;
    return begin < next && last >= first;
  };
  return items
    .filter(
      (item) =>
        sees(item) &&
        overlaps(item) &&
        (priorities === null || (item.priority !== null && priorities.includes(item.priority))),
    )
    .sort((a, b) => {
      for (const { field, direction } of order) {
        const [x, y] = [columns[field](a), columns[field](b)];
        if (x !== y) return (x < y ? -1 : 1) * (direction === 'ASC' ? 1 : -1);
      }
      return (a.feed_key - b.feed_key) * (order.at(-1)?.direction === 'ASC' ? 1 : -1);
    })
    .map((item) => item.feed_key);
}

async function page(
  query: Query,
  position: object,
): Promise<{
  keys: number[];
  totalCount: number;
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string;
    endCursor: string;
  };
}> {
  const { viewer, view, order, priorities, homeDepts } = query;
  await app.services.db.rows(
    'UPDATE session SET current_view = $1 WHERE user_id = (SELECT id FROM "user" WHERE login = $2)',
    [{ STORE_VIEW: 'SV', DEPARTMENT_VIEW: 'DV', MY_VIEW: 'MV' }[view] ?? '', viewer.login],
  );
  const answer = await app.gql(
    `query ($from: LocalDate!, $to: LocalDate!, $filter: CalendarFilter, $orderBy: [FeedOrder!], $first: Int, $last: Int, $after: Cursor, $before: Cursor) {
      viewer { calendar(source: CALENDAR, from: $from, to: $to, filter: $filter, orderBy: $orderBy) { ... on CalendarFeeds {
        feeds(first: $first, last: $last, after: $after, before: $before) {
          totalCount nodes { feedKey } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }`,
    {
      ...rangeOf(query),
      filter: {
        ...(view === 'STORE_VIEW' && { view }),
        priorities,
        homeDeptIds: homeDepts,
      },
      orderBy: order,
      ...position,
    },
    tokens.get(viewer.login),
  );
  expect(answer.errors).toBeUndefined();
  const { nodes, ...rest } = answer.data.viewer.calendar.feeds;
  return { ...rest, keys: nodes.map(({ feedKey }: { feedKey: number }) => feedKey) };
}

/** Walks it forward and back; says how many feeds it has. */
async function walk(query: Query): Promise<number> {
  const wanted = expected(query);
  const { size } = query;
  const forward: number[] = [];
  let next = await page(query, { first: size });
  expect(next.pageInfo.hasPreviousPage).toBe(false);
  for (;;) {
    expect(next.totalCount).toBe(wanted.length);
    forward.push(...next.keys);
    if (!next.pageInfo.hasNextPage) break;
    next = await page(query, { first: size, after: next.pageInfo.endCursor });
    expect(next.pageInfo.hasPreviousPage).toBe(true);
  }
  expect(forward).toEqual(wanted);
  const backward: number[] = [];
  next = await page(query, { last: size });
  expect(next.pageInfo.hasNextPage).toBe(false);
  for (;;) {
    backward.unshift(...next.keys);
    if (!next.pageInfo.hasPreviousPage) break;
    next = await page(query, { last: size, before: next.pageInfo.startCursor });
    expect(next.pageInfo.hasNextPage).toBe(true);
  }
  expect(backward).toEqual(wanted);
  return wanted.length;
}

it('D-27 walking a calendar forward and back gives what it has by its definition, and totalCount says how many', async () => {
  let seen = 0;
  const law = fc.asyncProperty(queries, async (query) => {
    seen += await walk(query);
  });
  await fc.assert(law, { numRuns: 60 });
  expect(seen).toBeGreaterThan(200);
}, 120_000);

it('D-27 has what runs across its first or its last instant, however long that takes', async () => {
  const [ana] = viewers;
  if (!ana) throw new Error('nobody looks');
  for (const [field, from] of [
    ['START_DATE_TIME', LAST_DAY],
    ['END_DATE_TIME', DAY_BEFORE],
  ] as const)
    expect(
      await walk({
        viewer: ana,
        view: 'STORE_VIEW',
        from,
        length: 1,
        order: [{ field, direction: 'ASC' }],
        priorities: null,
        homeDepts: null,
        size: 60,
      }),
    ).toBe(ending.length);
});

it('feeds are numbered by the bounds that pages look for', async () => {
  const numbers = await app.services.db.rows(
    `SELECT feed_duration(start, start + hours * interval '1 hour' - interval '1 millisecond'),
       feed_duration(start, start + hours * interval '1 hour')
     FROM unnest($1::int[]) hours, (VALUES ('2026-10-24 12:00+00'::timestamptz)) s (start)`,
    [BOUNDS],
  );
  expect(numbers).toEqual(BOUNDS.map((_, number) => [`${number}`, `${number + 1}`]));
});
