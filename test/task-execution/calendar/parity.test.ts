import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feed } from '../../support/records.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { january, keysOf, MONTH } from './store.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(january);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const query = `query($source: CalendarSource!, $from: LocalDate!, $to: LocalDate!, $layout: CalendarLayout, $filter: CalendarFilter, $filterId: ID, $orderBy: [FeedOrder!], $first: Int, $after: Cursor) {
  viewer { calendar(source: $source, from: $from, to: $to, layout: $layout, filter: $filter, filterId: $filterId, orderBy: $orderBy) { __typename
    ... on CalendarRange { layout calendarType selectedDates }
    ... on CalendarFeeds { lastFetchTime feeds(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { feedKey feedTitle status startDateTime } } }
    ... on CalendarProjects { truncated projects { projectId projectTitle projectType projectTypeDesc icon startDate endDate priority isOverdue isCompleted isConfidential isEdited hasSurvey hasAttachment assignedRole feed { feedKey } } }
    ... on CalendarWalks { truncated walks { projectId projectTitle projectType assignedTo startDate endDate feed { kind } } } } } }`;
const ask = (variables: object): ReturnType<TestApp['gql']> =>
  app.gql(query, { from: '2027-01-01', to: '2027-01-31', first: 100, ...variables }, ana);
const snake = (item: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(item).flatMap(([key, value]) =>
      key === 'feed'
        ? []
        : [
            [
              key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
              key.endsWith('Date') && typeof value === 'string' ? value.replaceAll('-', '') : value,
            ],
          ],
    ),
  );

describe('F050 both faces agree', () => {
  it.each([
    ['CALENDAR', '', {}],
    ['CALENDAR', 'cal_layout=P', { layout: 'PINBOARD' }],
    [
      'CALENDAR',
      'status=C,F&sort_by=feedTitle&sort_order=D',
      {
        filter: { statuses: ['COMPLETED', 'FORCE_CLOSED'] },
        orderBy: [{ field: 'FEED_TITLE', direction: 'DESC' }],
      },
    ],
    [
      'CALENDAR',
      'priority=1,2&message_type=FYI&favorite=0',
      { filter: { priorities: [1, 2], messageTypes: ['FYI'], favorite: false } },
    ],
    ['CALENDAR', 'view_type=SV', { filter: { view: 'STORE_VIEW' } }],
    ['CALENDAR', 'view_type=DV', { filter: { view: 'DEPARTMENT_VIEW' } }],
    [
      'CALENDAR',
      'tags=fresh&feed_type_id=A&feed_title=ALPHA&cal_filter_exc_level=1&cal_filter_org_level=STORE&p_requestor_level=HQ',
      {
        filter: {
          tags: ['fresh'],
          feedTypeIds: ['A'],
          feedTitle: 'ALPHA',
          execLevel: '1',
          orgLevel: 'STORE',
          requestorLevel: 'HQ',
        },
      },
    ],
    [
      'CALENDAR',
      'week_dates=20270108,20260101&home_dept_id=0',
      { filter: { weekDates: ['2027-01-08', '2026-01-01'], homeDeptIds: [0] } },
    ],
    ['CALENDAR', 'cut_off_time=1799600000000', { filter: { cutOffTime: 1_799_600_000_000 } }],
    ['CALENDAR', 'filter_id=weekly', { filterId: 'weekly' }],
    ['CALENDAR', 'filter_id=nope', { filterId: 'nope' }],
    ['STORE_PROJECTS', '', {}],
    [
      'STORE_PROJECTS',
      'local_projects=A&active_projects=Y&sort_by=priority',
      { filter: { localProjects: 'ALL', activeOnly: true }, orderBy: [{ field: 'PRIORITY' }] },
    ],
    [
      'STORE_PROJECTS',
      'view_type=SV&cal_filter_unit=1',
      { filter: { view: 'STORE_VIEW', unitIds: [1] } },
    ],
    ['STORE_SUGGESTED_DATE_PROJECTS', 'local_projects=A', { filter: { localProjects: 'ALL' } }],
    [
      'STORE_SUGGESTED_DATE_PROJECTS',
      'local_projects=Y',
      { filter: { localProjects: 'LOCAL_ONLY' } },
    ],
    ['STORE_WALK_CAL', '', {}],
    ['STORE_WALK_CAL', 'filter_id=store', { filterId: 'store' }],
  ])('%s %s', async (source, rest, variables) => {
    const [{ json }, { data, errors }] = [
      await app.rest(`/task/v1/calendar?source_id=${source}&${MONTH}&${rest}`, ana),
      await ask({ source, ...variables }),
    ];
    expect(errors).toBeUndefined();
    const calendar = data.viewer.calendar;
    expect(calendar.selectedDates).toHaveLength(31);
    expect(calendar.calendarType).toBe(json['calendarType'] ?? null);
    if (source === 'CALENDAR') {
      expect(calendar.feeds.nodes.map((node: any) => node.feedKey)).toEqual(keysOf(json));
      expect(calendar.feeds.totalCount).toBe(keysOf(json).length);
      expect(
        calendar.feeds.nodes.map((node: any) => node.startDateTime?.replace('T', ' ') ?? null),
      ).toEqual(
        (json['calendar_data']?.feed_details ?? []).map((item: any) => item.start_date_time),
      );
    } else {
      const items = calendar.projects ?? calendar.walks;
      expect(items.map(snake)).toEqual(json['calendar_data']?.project_data ?? []);
      expect(items.every((item: any) => item.feed !== null)).toBe(true);
    }
  });
});

it('F085 pages over a calendar with cursors', async () => {
  const first = (await ask({ source: 'CALENDAR', first: 4 })).data.viewer.calendar.feeds;
  expect(first.pageInfo.hasNextPage).toBe(true);
  const second = (await ask({ source: 'CALENDAR', first: 100, after: first.pageInfo.endCursor }))
    .data.viewer.calendar.feeds;
  const whole = (await ask({ source: 'CALENDAR' })).data.viewer.calendar.feeds;
  expect([...first.nodes, ...second.nodes]).toEqual(whole.nodes);
  expect(first.totalCount).toBe(whole.nodes.length);
});

it('F079 the layout is that of a system filter, else null', async () => {
  expect(
    (await ask({ source: 'STORE_WALK_CAL', filterId: 'tasks' })).data.viewer.calendar,
  ).toMatchObject({ __typename: 'CalendarWalks', layout: 'DAY', calendarType: 'CALENDAR' });
  expect(
    (await ask({ source: 'STORE_WALK_CAL', layout: 'WEEK' })).data.viewer.calendar,
  ).toMatchObject({ layout: null, calendarType: null });
});

it('is strict where REST is lenient: E147, E900 for long ranges and for orders that the source does not have', async () => {
  expect(
    (await ask({ source: 'CALENDAR', from: '2027-02-01' })).errors?.[0]?.extensions,
  ).toMatchObject({ legacyCode: 'E147', code: 'BAD_USER_INPUT' });
  expect(
    (await ask({ source: 'CALENDAR', to: '2099-01-01' })).errors?.[0]?.extensions,
  ).toMatchObject({ legacyCode: 'E900' });
  expect(
    (await ask({ source: 'CALENDAR', from: '2027-02-30' })).errors?.[0]?.extensions,
  ).toMatchObject({ code: 'BAD_USER_INPUT' });
  for (const [source, field] of [
    ['STORE_WALK_CAL', 'FEED_TITLE'],
    ['STORE_SUGGESTED_DATE_PROJECTS', 'PRIORITY'],
    ['STORE_PROJECTS', 'PROFILE_ID'],
  ]) {
    expect((await ask({ source, orderBy: [{ field }] })).errors?.[0]?.extensions).toMatchObject({
      legacyCode: 'E900',
    });
  }
  expect(
    (await app.gql(query, { source: 'CALENDAR', from: '2027-01-01', to: '2027-01-02' })).errors?.[0]
      ?.extensions,
  ).toMatchObject({ code: 'UNAUTHENTICATED' });
});

describe('F058 D-22 a day is as long as it is in the time zone of the session', () => {
  const days = [
    ['Europe/Berlin', '20261025', '2026-10-24T22:00:00Z', 25],
    ['Europe/Berlin', '20260329', '2026-03-28T23:00:00Z', 23],
    ['America/New_York', '20261101', '2026-11-01T04:00:00Z', 25],
    ['America/New_York', '20260308', '2026-03-08T05:00:00Z', 23],
    ['Asia/Kolkata', '20261025', '2026-10-24T18:30:00Z', 24],
    ['Asia/Kolkata', '20260329', '2026-03-28T18:30:00Z', 24],
    ['Pacific/Apia', '20120401', '2012-03-31T10:00:00Z', 25],
    ['Pacific/Apia', '20120930', '2012-09-29T11:00:00Z', 23],
    ['UTC', '20261025', '2026-10-25T00:00:00Z', 24],
    ['UTC', '20260329', '2026-03-29T00:00:00Z', 24],
  ] as const;

  it.each(days)('%s %s begins at %s and has %i hours', async (zone, day, begin, hours) => {
    const start = Date.parse(begin);
    const end = start + hours * 3_600_000;
    const login = `in-${zone.toLowerCase().replace('/', '-')}-${day}`;
    const key = 10_000 + days.findIndex((row) => row[0] === zone && row[1] === day) * 100;
    const instants = [start - 1000, start, start + 3_600_000 * 2.5, end - 1000, end];
    const kinds = [
      ['MESSAGE', 'CALENDAR', 0],
      ['PROJECT', 'STORE_PROJECTS', 10],
      ['WALK', 'STORE_WALK_CAL', 20],
    ] as const;
    await app.load([
      { record: 'user', domain: 'acme', login, display_name: zone, time_zone_long: zone },
      ...kinds.flatMap(([kind, , offset]) =>
        instants.map((ms, index) =>
          feed(key + offset + index, {
            kind,
            owner: login,
            start_date_time: new Date(ms).toISOString().replace('.000', ''),
            end_date_time: new Date(ms).toISOString().replace('.000', ''),
          }),
        ),
      ),
    ]);
    const token = await app.signedIn(login);
    for (const [kind, source, offset] of kinds) {
      const { json } = await app.rest(
        `/task/v1/calendar?source_id=${source}&from_date=${day}&to_date=${day}`,
        token,
      );
      const inside = [1, 2, 3].map((index) => key + offset + index);
      expect(
        keysOf(json).filter((found) => found >= key + offset && found < key + offset + 5),
      ).toEqual(inside);
      if (kind === 'PROJECT')
        expect(
          json['calendar_data'].project_data.map((item: any) => [item.start_date, item.end_date]),
        ).toEqual(Array(3).fill([day, day]));
      const weekly = await app.rest(
        `/task/v1/calendar?source_id=${source}&from_date=${day.slice(0, 6)}01&to_date=${day.slice(0, 6)}30&week_dates=${day}`,
        token,
      );
      expect(keysOf(weekly.json)).toEqual(keysOf(json));
    }
  });

  it('a day that a zone left out has nothing, and nothing breaks', async () => {
    await app.load([
      {
        record: 'user',
        domain: 'acme',
        login: 'samoa',
        display_name: 'Samoa',
        time_zone_long: 'Pacific/Apia',
      },
      feed(20_000, { owner: 'samoa', start_date_time: '2011-12-30T09:59:59Z' }),
      feed(20_001, { owner: 'samoa', start_date_time: '2011-12-30T10:00:00Z' }),
    ]);
    const token = await app.signedIn('samoa');
    const on = async (day: string): Promise<number[]> =>
      keysOf(
        (
          await app.rest(
            `/task/v1/calendar?source_id=CALENDAR&from_date=${day}&to_date=${day}`,
            token,
          )
        ).json,
      );
    expect([await on('20111229'), await on('20111230'), await on('20111231')]).toEqual([
      [20_000],
      [],
      [20_001],
    ]);
  });
});
