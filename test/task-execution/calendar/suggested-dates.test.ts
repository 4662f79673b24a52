import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { planOf, readsDuring, rowsRead } from '../../support/plans.ts';
import { feed, organisation } from '../../support/records.ts';

// One store on each side of the date line: their days begin 25 hours apart.
const stores = [
  { login: 'kiri', unit: 'Kiritimati', zone: 'Pacific/Kiritimati' },
  { login: 'midge', unit: 'Midway', zone: 'Pacific/Midway' },
] as const;
type Store = (typeof stores)[number];

const dayAfter = (number: number): Temporal.PlainDate =>
  Temporal.PlainDate.from('2026-11-01').add({ days: number });
const day = (number: number): string => dayAfter(number).toString();
const compact = (number: number | null): string =>
  number === null ? '' : day(number).replaceAll('-', '');

const HOUR = 3_600_000;
const noon = Temporal.Instant.from('2026-11-01T12:00:00Z').epochMilliseconds;

interface Dates {
  /** In epoch milliseconds. */
  start: number | null;
  end: number | null;
}
interface Suggestion {
  /** Days after the first. */
  first: number | null;
  last: number | null;
}
interface Project extends Dates, Suggestion {
  key: number;
  store: Store;
  completed: boolean;
}

const days = fc.integer({ min: 0, max: 40 });
const instants = fc.integer({ min: 0, max: 40 * 24 }).map((hours) => noon + hours * HOUR);
const dates: fc.Arbitrary<Dates> = fc
  .record({
    start: fc.option(instants, { freq: 4 }),
    end: fc.option(instants, { freq: 4 }),
  })
  .map(({ start, end }) =>
    start !== null && end !== null && end < start ? { start: end, end: start } : { start, end },
  );
const suggestions: fc.Arbitrary<Suggestion> = fc
  .record({
    first: fc.option(days, { freq: 2 }),
    last: fc.option(days, { freq: 2 }),
  })
  .map(({ first, last }) =>
    first !== null && last !== null && last < first
      ? { first: last, last: first }
      : { first, last },
  );

const projects: Project[] = fc
  .sample(fc.record({ dates, suggestion: suggestions, store: fc.constantFrom(...stores) }), {
    numRuns: 60,
    seed: 20261130,
  })
  .map(({ dates: own, suggestion, store }, index) => ({
    key: index + 1,
    store,
    completed: index % 3 === 0,
    ...own,
    ...suggestion,
  }));

const record = ({ key, store, completed, start, end, first, last }: Project): object =>
  feed(key, {
    kind: 'PROJECT',
    unit: store.unit,
    owner: store.login,
    status: completed ? 'C' : 'N',
    start_date_utc: start === null ? null : new Date(start).toISOString(),
    end_date_utc: end === null ? null : new Date(end).toISOString(),
    sugg_start_date: compact(first) || null,
    sugg_end_date: compact(last) || null,
  });

let app: TestApp;
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    ...stores.flatMap(({ login, unit, zone }) => [
      { record: 'unit', domain: 'acme', name: unit, time_zone: zone },
      { record: 'user', domain: 'acme', login, unit, default_view: 'SV' },
    ]),
    ...projects.map(record),
  ]);
  for (const { login } of stores) tokens.set(login, await app.signedIn(login));
});
afterAll(() => app.close());

interface Asked {
  store: Store;
  from: number;
  length: number;
  statuses: string[] | null;
  size: number;
}

interface Item {
  projectId: number;
  startDate: string;
  endDate: string;
}

const least = <Value extends number | string>(a: Value | null, b: Value): Value =>
  a !== null && a < b ? a : b;
const most = <Value extends number | string>(a: Value | null, b: Value): Value =>
  a !== null && a > b ? a : b;
const utc = (number: number | null): number | null =>
  number === null ? null : Temporal.Instant.from(`${day(number)}T00:00Z`).epochMilliseconds;

/** The first and the last of what the calendar shows, by D-31: an own date where only the other one is suggested, unless they would cross. */
const span = <Value extends number | string>(
  own: [Value | null, Value | null],
  suggested: [Value | null, Value | null],
): [Value, Value] | undefined => {
  const [first, last] = suggested;
  if (first === null && last === null) return undefined;
  return [first ?? least(own[0], last as Value), last ?? most(own[1], first as Value)];
};

/** A project as the calendar shows it, and where it is in its order: suggested days begin at midnight UTC there. */
function itemOf(project: Project): { item: Item; at: [number, number] } | undefined {
  const { key, store, first, last } = project;
  const own: [number | null, number | null] = [
    project.start ?? project.end,
    project.end ?? project.start,
  ];
  const local = (ms: number | null): string | null =>
    ms === null
      ? null
      : Temporal.Instant.fromEpochMilliseconds(ms)
          .toZonedDateTimeISO(store.zone)
          .toPlainDate()
          .toString();
  const days = span(
    [local(own[0]), local(own[1])],
    [first === null ? null : day(first), last === null ? null : day(last)],
  );
  const at = span(own, [utc(first), utc(last)]);
  return days && at && { item: { projectId: key, startDate: days[0], endDate: days[1] }, at };
}

/** What the calendar has, in its order. */
function expected({ store, from, length, statuses }: Asked): Item[] {
  const inTime = ({ startDate, endDate }: Item): boolean =>
    startDate <= day(from + length - 1) && endDate >= day(from);
  const statusOf = ({ completed, end }: Project): string =>
    completed ? 'COMPLETED' : end !== null && end < app.services.clock() ? 'OVERDUE' : 'NEW';
  return projects
    .filter((project) => project.store === store)
    .filter((project) => statuses === null || statuses.includes(statusOf(project)))
    .flatMap((project) => itemOf(project) ?? [])
    .filter(({ item }) => inTime(item))
    .sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.item.projectId - b.item.projectId)
    .map(({ item }) => item);
}

const QUERY = `query ($from: LocalDate!, $to: LocalDate!, $filter: CalendarFilter, $first: Int, $after: Cursor, $last: Int, $before: Cursor) {
  viewer { calendar(source: STORE_SUGGESTED_DATE_PROJECTS, from: $from, to: $to, filter: $filter) { ... on CalendarProjects {
    page: projectsConnection(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { projectId startDate endDate } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } } }`;

async function page(asked: Asked, position: object): Promise<Record<string, any>> {
  const { store, from, length, statuses } = asked;
  const variables = {
    from: day(from),
    to: day(from + length - 1),
    filter: { statuses },
    ...position,
  };
  const { data, errors } = await app.gql(QUERY, variables, tokens.get(store.login));
  expect(errors).toBeUndefined();
  return data.viewer.calendar.page;
}

/** All pages of a calendar, in its order. */
async function walk(asked: Asked, backward: boolean): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const { size } = asked;
    const at = backward ? { last: size, before: cursor } : { first: size, after: cursor };
    const { nodes, pageInfo, totalCount } = await page(asked, at);
    expect(totalCount).toBe(expected(asked).length);
    if (backward) found.unshift(...nodes);
    else found.push(...nodes);
    const more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage;
    cursor = more ? (backward ? pageInfo.startCursor : pageInfo.endCursor) : undefined;
  } while (cursor !== undefined);
  return found;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  store: fc.constantFrom(...stores),
  from: fc.integer({ min: -2, max: 42 }),
  length: fc.constantFrom(1, 1, 2, 7, 30),
  statuses: fc.option(fc.subarray(['COMPLETED', 'OVERDUE', 'NEW'])),
  size: fc.integer({ min: 1, max: 30 }),
});
const change = fc.record({ at: fc.nat(), dates, suggestion: suggestions, imported: fc.boolean() });

/** Changes a project: its suggested dates as a user does, all of its dates by an import. */
async function apply({
  at,
  imported,
  ...to
}: typeof change extends fc.Arbitrary<infer V> ? V : never) {
  const project = projects[at % projects.length];
  if (!project) throw new Error('there are no projects');
  Object.assign(project, to.suggestion, imported ? to.dates : {});
  if (imported) {
    await app.load([record(project)]);
    return;
  }
  const { status } = await app.rest(
    `/task/v1/actions/${project.key}/suggested-date`,
    tokens.get(project.store.login),
    {
      method: 'POST',
      body: new URLSearchParams({
        sugg_start_date_val: compact(project.first),
        sugg_end_date_val: compact(project.last),
      }),
    },
  );
  expect(status).toBe(200);
}

it('D-31 has the projects with suggested dates, on the days that it shows, in their order, after any change', async () => {
  let seen = 0;
  const law = fc.asyncProperty(
    asked,
    fc.array(change, { maxLength: 3 }),
    async (query, changes) => {
      for (const each of changes) await apply(each);
      const forward = await walk(query, false);
      expect(forward).toEqual(expected(query));
      expect(await walk(query, true)).toEqual(forward);
      seen += forward.length;
    },
  );
  await fc.assert(law, { numRuns: 60 });
  expect(seen).toBeGreaterThan(100);
}, 120_000);

it('reads little more than it shows, however many projects the store has', async () => {
  const { db } = app.services;
  const [store] = stores;
  const at = (number: number, last: number): object =>
    record({
      key: 1_000 + number,
      store,
      completed: false,
      start: Temporal.Instant.from('2024-03-01T12:00Z').epochMilliseconds + number * HOUR,
      end: null,
      first: null,
      last,
    });
  const many = Array.from({ length: 3_000 }, (_, number) => at(number, 60));
  const others = many.map((project, number) => ({
    ...project,
    feed_key: 5_000 + number,
    sugg_end_date: number % 10 === 0 ? '20240301' : null,
  }));
  await app.load([...many.slice(0, 3), ...others]);
  await db.rows('ANALYZE feed, feed_listing', []);
  const query: Asked = { store, from: 59, length: 1, statuses: null, size: 30 };
  let found: Item[] = [];
  const statements = await readsDuring(app, async () => {
    found = (await page(query, { first: query.size }))['nodes'];
  });
  expect(found.map(({ projectId }) => projectId)).toEqual([1_000, 1_001, 1_002]);
  let read = 0;
  for (const statement of statements) read += rowsRead(await planOf(db, statement), 'feed_listing');
  expect(read).toBeLessThan(100);
});
