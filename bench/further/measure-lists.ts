import { createSession } from '../../src/accounts/sessions/create-session.ts';
import type { Services } from '../../src/core/context/context.ts';
import { post } from '../contenders.ts';
import { CHIEF, LEAD, viewerOf } from '../data/records.ts';
import { fetchJson, type WireRequest } from '../http-load.ts';
import { medianLatencies, restGet } from './time-in-turn.ts';

export const operations = [
  'page of 20',
  'page of 20 behind a cursor',
  'count of a unit',
  'count of the domain',
  'poll',
  'all of a calendar month',
  'calendar month of a unit',
  'calendar week of a unit',
  'calendar day of a unit',
  'calendar month of a department',
  'calendar week of a department',
  'calendar day of a department',
  'length of that month',
  'Gantt month of a unit, page of 20',
  'Gantt day of a unit, all at once',
  'Gantt month of a unit, all at once',
  'last page of a Gantt month of a department',
  'leadership calendar of a month',
] as const;
export type ListOperation = (typeof operations)[number];

/** One database, the gateway on it, and what is asked of it; without operations that the gateway does not have. */
export interface ListTarget {
  rows: number;
  port: number;
  requests: ReadonlyMap<ListOperation, WireRequest>;
}

/** Median latencies in milliseconds by operation, in the order of the targets. The databases answer in turn, so that a busy moment hits all of them. */
export async function measureLists(
  targets: readonly ListTarget[],
  seconds: number,
): Promise<Map<ListOperation, (number | undefined)[]>> {
  const figures = new Map<ListOperation, (number | undefined)[]>();
  for (const operation of operations) {
    const able = targets.flatMap(({ port, requests }, index) => {
      const request = requests.get(operation);
      return request ? [{ port, request, index }] : [];
    });
    const medians = able.length > 0 ? await medianLatencies(able, seconds) : [];
    figures.set(
      operation,
      targets.map((_, index) => medians[able.findIndex((target) => target.index === index)]),
    );
  }
  return figures;
}

const calendarQuery = (fields: string): string =>
  `query ($from: LocalDate!, $to: LocalDate!, $filter: CalendarFilter) { viewer { calendar(source: CALENDAR, from: $from, to: $to, filter: $filter,
     orderBy: [{ field: START_DATE_TIME, direction: ASC }]) { ... on CalendarFeeds { feeds(first: 20) { ${fields} } } } } }`;

/** The page of a unit, the counts of a unit and of the whole domain, a poll with ten changes, calendars: all that REST tells of a month, and pages of 20, by start, of GraphQL. */
export async function makeListTarget(
  services: Services,
  port: number,
  rows: number,
): Promise<ListTarget> {
  const { token } = await createSession(services, viewerOf(0));
  const chief = (await createSession(services, CHIEF)).token;
  const list = { view_type: 'SV', limit: '20', sort_by: 'endDateTime' };
  const first = restGet(token, '/task/v1/feeds/list', list);
  const { next_cursor } = (await fetchJson(port, first)) as { next_cursor: string };
  const always = { start_date: '20000101', end_date: '20991231' };
  const lead = (await createSession(services, LEAD)).token;
  await services.db.pool.query(
    `UPDATE session SET current_view = 'DV' WHERE user_id = (SELECT id FROM "user" WHERE login = $1)`,
    [LEAD],
  );
  const now = new Date(services.clock());
  const range = (days: number) => ({
    from: isoDay(now.getTime()),
    to: isoDay(now.getTime() + (days - 1) * 86_400_000),
  });
  const calendar = (
    who: string,
    days: number,
    fields = 'nodes { feedKey feedTitle status priority startDateTime endDateTime } pageInfo { hasNextPage endCursor }',
  ): WireRequest =>
    post(
      calendarQuery(fields),
      { ...range(days), filter: who === token ? { view: 'STORE_VIEW' } : {} },
      { 'x-service-csrf-token-x': who },
    );
  const gantt = (days: number): WireRequest =>
    restGet(token, '/task/v1/calendar', {
      source_id: 'STORE_PROJECTS',
      view_type: 'SV',
      from_date: plainDay(now.getTime()),
      to_date: plainDay(now.getTime() + (days - 1) * 86_400_000),
    });
  const ganttPage = (who: string, page: string): WireRequest =>
    post(
      `query ($from: LocalDate!, $to: LocalDate!, $filter: CalendarFilter) { viewer { calendar(source: STORE_PROJECTS, from: $from, to: $to, filter: $filter) {
       ... on CalendarProjects { feeds: projectsConnection(${page}) { nodes { projectId projectTitle projectTypeDesc startDate endDate priority isOverdue isCompleted assignedRole } pageInfo { hasNextPage endCursor } } } } } }`,
      { ...range(30), filter: who === token ? { view: 'STORE_VIEW' } : {} },
      { 'x-service-csrf-token-x': who },
    );
  const leadership = post(
    `query ($year: Int!, $month: Int!) { viewer { feeds: leadershipCalendar(type: MONTHLY, year: $year, month: $month) { projects { projectId } truncated } } }`,
    { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1 },
    { 'x-service-csrf-token-x': lead },
  );
  const month = now.toISOString().slice(0, 7).replace('-', '');
  const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate();
  const since = await changeTen(services, port, token);
  const all: Record<ListOperation, WireRequest> = {
    'page of 20': first,
    'page of 20 behind a cursor': restGet(token, '/task/v1/feeds/list', {
      ...list,
      starting_after: next_cursor,
    }),
    'count of a unit': restGet(token, '/task/v1/feeds/count', { view_type: 'SV', ...always }),
    'count of the domain': restGet(chief, '/task/v1/feeds/count', { view_type: 'DV', ...always }),
    poll: restGet(token, '/task/v1/feeds/list-latest', {
      view_type: 'SV',
      from_time: String(since),
    }),
    'all of a calendar month': restGet(token, '/task/v1/calendar', {
      source_id: 'CALENDAR',
      view_type: 'SV',
      from_date: `${month}01`,
      to_date: `${month}${lastDay}`,
    }),
    'calendar month of a unit': calendar(token, 30),
    'calendar week of a unit': calendar(token, 7),
    'calendar day of a unit': calendar(token, 1),
    'calendar month of a department': calendar(lead, 30),
    'calendar week of a department': calendar(lead, 7),
    'calendar day of a department': calendar(lead, 1),
    'length of that month': calendar(lead, 30, 'totalCount'),
    'Gantt month of a unit, page of 20': ganttPage(token, 'first: 20'),
    'Gantt day of a unit, all at once': gantt(1),
    'Gantt month of a unit, all at once': gantt(30),
    'last page of a Gantt month of a department': ganttPage(lead, 'last: 20'),
    'leadership calendar of a month': leadership,
  };
  const requests = new Map<ListOperation, WireRequest>();
  for (const operation of operations)
    if (await answers(port, all[operation])) requests.set(operation, all[operation]);
  return { rows, port, requests };
}

const plainDay = (ms: number): string => isoDay(ms).replaceAll('-', '');
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function answers(
  port: number,
  { method, path, headers, body }: WireRequest,
): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return /"status":"OK"|"feeds":\{/.test(await response.text()) && response.status === 200;
}

/** Changes ten feeds of the viewer's unit through the gateway and returns the server time before. */
async function changeTen(services: Services, port: number, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-service-csrf-token-x': token };
  const ask = (query: string, variables: object): Promise<unknown> =>
    fetchJson(port, {
      method: 'POST',
      path: '/graphql',
      headers,
      body: JSON.stringify({ query, variables }),
    });
  const page = (await ask(
    '{ viewer { feeds(first: 10, filter: { view: STORE_VIEW }) { lastFetchTime nodes { id pin } } } }',
    {},
  )) as {
    data: { viewer: { feeds: { lastFetchTime: number; nodes: { id: string; pin: boolean }[] } } };
  };
  const { nodes } = page.data.viewer.feeds;
  const since = services.clock() - 1;
  for (const pinned of [true, false]) {
    const feedIds = nodes.filter((node) => node.pin !== pinned).map((node) => node.id);
    if (feedIds.length > 0)
      await ask(
        'mutation ($input: SetFeedStateInput!) { setFeedState(input: $input) { __typename } }',
        { input: { feedIds, pinned } },
      );
  }
  return since;
}
