import type { Asked } from './read-requests.ts';

const FEED =
  'feedKey feedTitle feedDescription status priority startsAt endsAt displayDate feedType assignToDesc lastUpdatedTime taskCount overdueTaskCount favorite pinned version additionalAttributes';
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const plainDay = (ms: number): string => day(ms).replaceAll('-', '');

/** Every list of the schema, as large as it may be asked for, with its lists inside it where the cost limit lets them. */
const documents = (now: number): string[] => [
  '{ viewer { feeds(first: 100) { nodes { tasks(first: 10) { nodes { feedKey feedTitle } } } } } }',
  '{ viewer { feeds(first: 100) { totalCount nodes { feedKey } } } }',
  `{ viewer { feeds(first: 100, orderBy: [{ field: END_DATE_TIME, direction: DESC }, { field: FEED_TITLE }]) { totalCount nodes { ${FEED} parent { feedKey } } } } }`,
  '{ viewer { feeds(first: 30) { nodes { tasks(first: 5) { totalCount nodes { feedKey tasks(first: 5) { nodes { feedKey } } } } } } } }',
  '{ viewer { feeds(first: 100, filter: { feedTitle: "zzzz" }) { totalCount nodes { feedKey } } } }',
  `{ viewer { feeds(first: 100, filter: { view: STORE_VIEW }) { totalCount nodes { ${FEED} } } } }`,
  `{ viewer { feeds(first: 100, filter: { view: DEPARTMENT_VIEW }) { totalCount nodes { ${FEED} } } } }`,
  `{ viewer { tasks(first: 100) { totalCount nodes { ${FEED} parent { feedKey feedTitle } } } } }`,
  `{ viewer { feedChanges(first: 100, fromTime: ${now - HOUR}) { edges { cursor node { __typename ... on FeedUpserted { feed { ${FEED} } } } } hasMore } } }`,
  `{ viewer { feedCounts(startDate: "${day(now - YEAR)}", endDate: "${day(now + YEAR)}") { total priorities { __typename } } } }`,
  ...['CALENDAR', 'STORE_PROJECTS', 'STORE_SUGGESTED_DATE_PROJECTS', 'STORE_WALK_CAL'].map(
    (source) =>
      `{ viewer { calendar(source: ${source}, from: "${day(now - YEAR)}", to: "${day(now + YEAR)}") { __typename ... on CalendarFeeds { feeds(first: 100) { totalCount nodes { ${FEED} } } } ... on CalendarProjects { projects { __typename } } ... on CalendarWalks { walks { __typename } } } } }`,
  ),
  ...['ANNUAL', 'MONTHLY'].map(
    (type) =>
      `{ viewer { leadershipCalendar(type: ${type}, month: 11, year: ${new Date(now).getUTCFullYear()}) { truncated projects { __typename } categories { __typename } notes { __typename } } } }`,
  ),
  '{ viewer { configuration { __typename } currentView calendarSubscriptions { __typename } } }',
  '{ viewer { workspaces(first: 3) { nodes { datasets(first: 5) { nodes { name images(first: 10) { totalCount nodes { name thumbnailUrl } } projects(first: 5) { nodes { name } } } } projects(first: 3) { nodes { name imagesCount classes { name } datasets(first: 5) { nodes { name } } } } } } } }',
  '{ taskTemplates(first: 100) { totalCount nodes { title } } }',
  '{ translateLegacyRequest(url: "/task/v1/feeds/list?limit=100") { __typename } }',
];

/** Every GET path that reads lists, with the largest page or range that it takes. */
const paths = (now: number): string[] => {
  const range = (from: string, to: string): string =>
    `${from}=${plainDay(now - YEAR)}&${to}=${plainDay(now + YEAR)}`;
  return [
    '/task/v1/feeds/list?limit=100',
    '/task/v1/feeds/list?limit=100&view_type=SV&sort_by=feedTitle&sort_order=D',
    '/task/v1/feeds/list/tasks?limit=100',
    `/task/v1/feeds/list-latest?from_time=${now - HOUR}`,
    `/task/v1/feeds/count?${range('start_date', 'end_date')}&view_type=SV`,
    ...['CALENDAR', 'STORE_PROJECTS', 'STORE_SUGGESTED_DATE_PROJECTS', 'STORE_WALK_CAL'].map(
      (source) =>
        `/task/v1/calendar?source_id=${source}&view_type=SV&${range('from_date', 'to_date')}`,
    ),
    ...['A', 'M'].map(
      (type) =>
        `/task/v1/calendar/leadership?cal_type=${type}&month_no=11&year=${new Date(now).getUTCFullYear()}`,
    ),
    '/task/v1/config/list',
    '/api/Workspaces',
    '/openapi.json',
  ];
};

/** Every list of both faces with the largest arguments that are allowed. `now` as the gateway's clock has it. */
export const heavyRequests = (now: number): Asked[] => [
  ...documents(now).map((query) => ({
    name: query.slice(0, 90),
    path: '/graphql',
    body: JSON.stringify({ query }),
  })),
  ...paths(now).map((path) => ({ name: path.slice(0, 90), path })),
];
