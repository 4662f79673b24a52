import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { at, idOf, january, keysOf, MONTH } from './store.ts';

let app: TestApp;
let ana: string;
const noData = { status: 'ER', error_code: 'E404', response: 'No data found' };

beforeAll(async () => {
  app = await startApp();
  await app.load(january);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const get = (
  query: string,
  token = ana,
  headers: Record<string, string> = {},
): Promise<RestAnswer> => app.rest(`/task/v1/calendar?${query}`, token, { headers });
const calendar = async (query: string, source = 'CALENDAR', token = ana): Promise<number[]> => {
  const { status, json } = await get(`source_id=${source}&${MONTH}&${query}`, token);
  expect(status).toBe(200);
  if (json['status'] === 'ER') expect(json).toEqual(noData);
  return keysOf(json);
};
const sorted = async (query: string, source?: string): Promise<number[]> =>
  (await calendar(query, source)).sort((a, b) => a - b);
const month = [1, 2, 3, 4, 6, 7, 30, 31, 32];

describe('what a calendar shows', () => {
  it('F050 F052 F085 CALENDAR: feeds that overlap the range, with the time of the fetch', async () => {
    const { json } = await get(`source_id=CALENDAR&${MONTH}`);
    expect(Object.keys(json)).toEqual(['status', 'calendar_data']);
    expect(Object.keys(json['calendar_data'])).toEqual(['feed_details', 'last_fetch_time']);
    expect(json['calendar_data'].last_fetch_time).toBe(app.services.clock());
    expect(keysOf(json).sort((a, b) => a - b)).toEqual(month);
    const [first] = json['calendar_data'].feed_details;
    expect(Object.keys(first).length).toBeGreaterThan(40);
    expect(first).toMatchObject({
      feed_key: 31,
      start_date_time: at(3),
      status: 'C',
      is_confidential: false,
    });
  });

  it('F058 counts every day of the range, both bounds included', async () => {
    const on = async (from: string, to = from): Promise<number[]> =>
      keysOf((await get(`source_id=CALENDAR&from_date=${from}&to_date=${to}`)).json).sort(
        (a, b) => a - b,
      );
    expect(await on('20270106')).toEqual([1, 6, 30, 32]);
    expect(await on('20270115')).toEqual([3, 6]);
    expect(await on('20270120')).toEqual([4, 6]);
    expect(await on('20270121', '20270131')).toEqual([6]);
    expect(await on('20261101')).toEqual([9, 33]);
    expect(await on('99991231')).toEqual([]);
    expect(await on('00010101')).toEqual([]);
  });

  it('F086 F083 STORE_PROJECTS: the documented fields of projects', async () => {
    const { json } = await get(`source_id=STORE_PROJECTS&${MONTH}&feed_title=window`);
    expect(json).toEqual({
      status: 'OK',
      calendar_data: {
        project_data: [
          {
            project_id: 30,
            project_title: 'Window',
            project_type: 'PROMO',
            project_type_desc: 'Promotion',
            icon: 'tag',
            start_date: '20270105',
            end_date: '20270112',
            priority: 2,
            is_overdue: false,
            is_completed: false,
            is_confidential: false,
            is_edited: true,
            has_survey: true,
            has_attachment: true,
            assigned_role: 'Lead',
          },
        ],
      },
    });
    const [local] = (await get(`source_id=STORE_PROJECTS&${MONTH}&local_projects=Y`)).json[
      'calendar_data'
    ].project_data;
    expect(local).toMatchObject({
      project_id: 31,
      project_type_desc: 'Reset',
      is_completed: true,
      icon: null,
      assigned_role: null,
    });
    const [overdue] = (await get('source_id=STORE_PROJECTS&from_date=20261101&to_date=20261101'))
      .json['calendar_data'].project_data;
    expect(overdue).toMatchObject({ project_id: 33, is_overdue: true, icon: null });
  });

  it('F086 STORE_SUGGESTED_DATE_PROJECTS: only projects with suggested dates, on those dates', async () => {
    const { json } = await get(`source_id=STORE_SUGGESTED_DATE_PROJECTS&${MONTH}&local_projects=A`);
    const dates = json['calendar_data'].project_data.map((item: any) => [
      item.project_id,
      item.start_date,
      item.end_date,
    ]);
    // 32 suggests no end: its own lies before the suggested start; 33 suggests no start: its own does.
    expect(dates.sort()).toEqual([
      [31, '20270125', '20270128'],
      [32, '20270120', '20270120'],
      [33, '20261101', '20270102'],
    ]);
    const on = async (day: string): Promise<number[]> =>
      keysOf(
        (
          await get(
            `source_id=STORE_SUGGESTED_DATE_PROJECTS&local_projects=A&from_date=${day}&to_date=${day}`,
          )
        ).json,
      );
    expect(await on('20270104')).toEqual([]);
    expect(await on('20270125')).toEqual([31]);
    expect(await on('20270120')).toEqual([32]);
    expect(await on('20270102')).toEqual([33]);
    expect(await on('20261215')).toEqual([33]);
  });

  it('D-23 D-31 in STORE_SUGGESTED_DATE_PROJECTS, days are those of the dates that are shown', async () => {
    const days: [string, number[]][] = [
      ['20270104', []],
      ['20270106', []],
      ['20270125', [31]],
      ['20270119,20270120,20270128', [31, 32]],
      ['20261102', [33]],
      ['20261215,20270102', [33]],
      ['20270103', []],
      ['20270230', []],
    ];
    const found = async (query: string): Promise<number[]> =>
      keysOf(
        (
          await get(
            `source_id=STORE_SUGGESTED_DATE_PROJECTS&local_projects=A&from_date=20261101&to_date=20270131&${query}`,
          )
        ).json,
      ).sort((a, b) => a - b);
    for (const [list, expected] of days) {
      expect(await found(`week_dates=${list}`), list).toEqual(expected);
      const iso = list.replaceAll(/(\d{4})(\d\d)(\d\d)/g, '$1-$2-$3').split(',');
      for (const name of ['selectedDates', 'weekDates']) {
        if (list === '20270230') continue; // no filter can hold it
        await app.load([
          {
            record: 'filter',
            domain: 'acme',
            filter_id: 'days',
            name: 'Days',
            criteria: { [name]: iso },
          },
        ]);
        expect(await found('filter_id=days'), `${name} ${list}`).toEqual(expected);
      }
    }
  });

  it('F087 STORE_WALK_CAL: the documented fields of walks, by date', async () => {
    const { json } = await get(`source_id=STORE_WALK_CAL&${MONTH}`);
    expect(json['calendar_data']).toEqual({
      project_data: [
        {
          project_id: 41,
          project_title: 'Early walk',
          project_type: null,
          assigned_to: 'Berlin',
          start_date: '20270109',
          end_date: '20270109',
        },
        {
          project_id: 40,
          project_title: 'Walk',
          project_type: 'WALK',
          assigned_to: 'Ana, Bob',
          start_date: '20270111',
          end_date: '20270111',
        },
      ],
    });
    expect(
      (await get(`source_id=STORE_WALK_CAL&${MONTH}&view_type=SV`)).json['calendar_data']
        .project_data,
    ).toMatchObject([{ project_id: 52, assigned_to: 'Anyone' }]);
  });

  it('F007 F088 answers 200 with error_code when there is no data; every other error uses errorCode', async () => {
    for (const source of [
      'CALENDAR',
      'STORE_PROJECTS',
      'STORE_SUGGESTED_DATE_PROJECTS',
      'STORE_WALK_CAL',
    ]) {
      const answer = await get(`source_id=${source}&from_date=20300101&to_date=20300102`);
      expect(answer).toMatchObject({ status: 200, text: JSON.stringify(noData) });
      expect(answer.headers.get('x-error-code')).toBe('E404');
    }
    expect((await app.rest('/task/v1/calendar')).json).toEqual({
      status: 'ER',
      errorCode: 'E202',
      response: 'Session token missing or invalid',
    });
    expect((await get('')).json).toMatchObject({ status: 'ER', errorCode: 'E140' });
  });

  it('F005 shows nothing of another domain and takes no identity from the request', async () => {
    expect(
      await sorted(
        'domain_id=2&user_id=99&unit_id=1&dept_id=1&profile_id=1&time_zone_long=UTC&lang_code=x',
      ),
    ).toEqual(month);
    expect(
      keysOf((await get(`source_id=CALENDAR&${MONTH}`, await app.signedIn('eve'))).json),
    ).toEqual([900]);
  });
});

describe('parameters', () => {
  it('F059 D-24 the pinboard shows pinned feeds only; other layouts change nothing', async () => {
    expect(await sorted('cal_layout=P')).toEqual([3]);
    for (const layout of ['M', 'W', 'D', 'X'])
      expect(await sorted(`cal_layout=${layout}`)).toEqual(month);
    expect(await sorted('cal_layout=P', 'STORE_PROJECTS')).toEqual([30, 32]);
  });

  it('F060 accepts return_type and changes nothing', async () => {
    const answer = await get(`source_id=CALENDAR&${MONTH}&return_type=GANTT`);
    expect(keysOf(answer.json)).toHaveLength(month.length);
    expect(answer.headers.get('x-ignored-parameters')).toBe('return_type');
  });

  it('F061 D-26 cut_off_time is a lower bound on the end, for CALENDAR', async () => {
    const cut = Date.UTC(2027, 0, 10, 11);
    expect(await sorted(`cut_off_time=${cut}`)).toEqual([2, 3, 4, 6, 30]);
    expect(await sorted('cut_off_time=0')).toEqual(month);
    const walks = await get(`source_id=STORE_WALK_CAL&${MONTH}&cut_off_time=${cut}`);
    expect(keysOf(walks.json)).toEqual([41, 40]);
    expect(walks.headers.get('x-ignored-parameters')).toBe('cut_off_time');
  });

  it('F062 D-30 home_dept_id narrows whose confidential items are seen and never widens', async () => {
    const [bakery, logistics] = [
      await idOf(app, 'dept', 'Bakery'),
      await idOf(app, 'dept', 'Logistics'),
    ];
    const confidential = async (query: string): Promise<number[]> =>
      (await calendar(`${query}&from_date=20270108`)).filter((key) => key === 7 || key === 8);
    expect(await confidential('')).toEqual([7]);
    expect(await confidential(`home_dept_id=${bakery}`)).toEqual([7]);
    expect(await confidential(`home_dept_id=${bakery},${logistics},x`)).toEqual([7]);
    for (const id of [logistics, 999_999, 'x', ','])
      expect(await sorted(`home_dept_id=${id}`)).toEqual(month.filter((key) => key !== 7));
    expect(await confidential('home_dept_id=')).toEqual([7]);
  });

  it('F063 D-30 SV shows the store; any other view is the view of the session', async () => {
    expect(await sorted('view_type=SV')).toEqual([2, 30, 50, 51]);
    for (const view of ['MV', 'DV', 'XX', ''])
      expect(await sorted(`view_type=${view}`)).toEqual(month);
    expect(await sorted('view_type=SV', 'STORE_PROJECTS')).toEqual([30, 51]);
    const tess = await app.signedIn('tess');
    expect(await calendar('view_type=MV', 'CALENDAR', tess)).toEqual([3]);
  });

  it.each([
    ['F064', 'message_type=FYI', [1, 3]],
    ['F064', 'message_type=FYI,ALR', [1, 2, 3]],
    ['F067', 'week_dates=20270108', [6, 7, 30]],
    ['F067', 'week_dates=20270108,20270115,20261101', [3, 6, 7, 30]],
    ['F067', 'week_dates=20261101', []],
    ['F068', 'status=C', [3, 31]],
    ['F068', 'status=c,f', [3, 4, 31]],
    ['F068', 'status=O', []],
    ['F069', 'feed_type_id=B,PROMO', [2, 3, 30]],
    ['F070', 'priority=1', [1, 4, 31]],
    ['F070', 'priority=1,x', [1, 4, 31]],
    ['F073', 'cal_filter_exc_level=1', [1]],
    ['F075', 'cal_filter_org_level=REGION', [30]],
    ['F076', 'feed_title=alpha', [1]],
    ['F076', 'feed_title=100%25_OFF', [1]],
    ['F076', 'feed_title=100%2525', []],
    ['F077', 'favorite=1', [2]],
    ['F077', 'favorite=0', month],
    ['F078', 'tags=fresh,none', [1]],
    ['F080', 'p_requestor_level=HQ', [1]],
    ['F080', 'p_requestor_level=null', month],
    ['F080', 'p_requestor_level=NULL', month],
  ])('%s %s', async (_, query, expected) => {
    expect(await sorted(query)).toEqual(expected);
  });

  it('F074 cal_filter_unit narrows to units, never beyond what is visible', async () => {
    const [berlin, boston] = [await idOf(app, 'unit', 'Berlin'), await idOf(app, 'unit', 'Boston')];
    expect(await sorted(`cal_filter_unit=${berlin}`)).toEqual([2, 30]);
    expect(await sorted(`cal_filter_unit=${berlin},${boston}`)).toEqual([2, 3, 30]);
    expect(await sorted('cal_filter_unit=999999')).toEqual([]);
  });

  it.each([
    ['STORE_PROJECTS', '', [30, 32]],
    ['STORE_PROJECTS', 'local_projects=N', [30, 32]],
    ['STORE_PROJECTS', 'local_projects=Y', [31]],
    ['STORE_PROJECTS', 'local_projects=A', [30, 31, 32]],
    ['STORE_PROJECTS', 'local_projects=X', [30, 32]],
    ['STORE_PROJECTS', 'active_projects=Y', [30]],
    ['STORE_PROJECTS', 'active_projects=N', [30, 32]],
    ['STORE_PROJECTS', 'active_projects=Y&local_projects=A', [30, 31]],
    ['STORE_SUGGESTED_DATE_PROJECTS', '', [32, 33]],
    ['STORE_SUGGESTED_DATE_PROJECTS', 'local_projects=Y', [31]],
    ['STORE_SUGGESTED_DATE_PROJECTS', 'active_projects=Y', [32, 33]],
    ['CALENDAR', 'local_projects=Y&active_projects=Y', month],
  ])('F071 F072 F083 %s?%s', async (source, query, expected) => {
    expect(await sorted(query, source)).toEqual(expected);
  });

  it('F065 F066 sorts by the columns given, drops unknown ones, and fills in directions', async () => {
    expect(await calendar('sort_by=priority,feedTitle&sort_order=D,A')).toEqual([
      32, 7, 6, 3, 2, 30, 31, 1, 4,
    ]);
    expect(await calendar('sort_by=feedTitle')).toEqual([31, 1, 2, 4, 32, 3, 7, 6, 30]);
    expect(await calendar('sort_by=feed_title&sort_order=d')).toEqual([
      30, 6, 7, 3, 32, 4, 2, 1, 31,
    ]);
    expect(await calendar('sort_by=nope,feedTitle&sort_order=D,D')).toEqual([
      30, 6, 7, 3, 32, 4, 2, 1, 31,
    ]);
    expect(await calendar('sort_by=feedTitle&sort_order=A,D,D')).toEqual([
      31, 1, 2, 4, 32, 3, 7, 6, 30,
    ]);
    expect(
      await calendar(
        'local_projects=A&sort_by=feedTypeId,feedTitle&sort_order=D',
        'STORE_PROJECTS',
      ),
    ).toEqual([32, 31, 30]);
    expect(
      await calendar('local_projects=A&sort_by=profileId,feedTitle', 'STORE_PROJECTS'),
    ).toEqual([31, 32, 30]);
    expect(await calendar('local_projects=A', 'STORE_PROJECTS')).toEqual([31, 30, 32]);
  });

  it('F081 F082 sorts by p_sort_column when sort_by is absent', async () => {
    expect(
      await calendar(
        'p_sort_column_1=priority&p_sort_column_order_1=-1&p_sort_column_2=feedTitle&p_sort_column_order_2=1',
      ),
    ).toEqual([32, 7, 6, 3, 2, 30, 31, 1, 4]);
    expect(
      await calendar('p_sort_column_1=nope&p_sort_column_3=feedTitle&p_sort_column_order_3=-1'),
    ).toEqual([30, 6, 7, 3, 32, 4, 2, 1, 31]);
    const both = await get(
      `source_id=CALENDAR&${MONTH}&sort_by=feedTitle&p_sort_column_1=priority&p_sort_column_order_1=x`,
    );
    expect(keysOf(both.json)[0]).toBe(31);
    expect(both.headers.get('x-ignored-parameters')?.split(', ').sort()).toEqual([
      'p_sort_column_1',
      'p_sort_column_order_1',
    ]);
  });

  it('F082 P8 names a p_sort_column_order without a column that sorts', async () => {
    const query = `source_id=STORE_PROJECTS&${MONTH}&p_sort_column_1=profileId&p_sort_column_order_1=1&p_sort_column_order_2=-1&p_sort_column_order_3=`;
    expect((await get(query)).headers.get('x-ignored-parameters')).toBe(
      'p_sort_column_order_1, p_sort_column_1, p_sort_column_order_2',
    );
    expect(await get(query, ana, { prefer: 'handling=strict' })).toMatchObject({
      status: 400,
      json: {
        response: expect.stringContaining('p_sort_column_order_2: goes with p_sort_column_2'),
      },
    });
  });

  it('F084 STORE_WALK_CAL ignores sorting and says so', async () => {
    const answer = await get(
      `source_id=STORE_WALK_CAL&${MONTH}&sort_by=feedTitle&sort_order=D&p_sort_column_1=priority`,
      ana,
      { prefer: 'handling=strict' },
    );
    expect(answer.status).toBe(200);
    expect(keysOf(answer.json)).toEqual([41, 40]);
    expect(answer.headers.get('x-ignored-parameters')?.split(', ').sort()).toEqual([
      'p_sort_column_1',
      'sort_by',
      'sort_order',
    ]);
  });

  it('F079 D-35 a filter that resolves gives layout, calendarType and selectedDates, in the data and beside it', async () => {
    const { json } = await get(
      'source_id=CALENDAR&from_date=20270104&to_date=20270106&filter_id=weekly',
    );
    const extra = {
      layout: 'W',
      calendarType: 'GANTT',
      selectedDates: ['20270104', '20270105', '20270106'],
    };
    expect(json).toMatchObject({ ...extra, calendar_data: extra });
    expect(Object.keys(json)).toEqual([
      'status',
      'calendar_data',
      'layout',
      'calendarType',
      'selectedDates',
    ]);
    expect(keysOf(json)).toEqual([30, 1, 31]);
    expect(await calendar('filter_id=weekly&sort_by=feedTitle')).toEqual([31, 1, 2, 4, 30]);
    expect(await sorted('filter_id=weekly&cal_layout=P')).toEqual([1, 2, 4, 30, 31]);
    expect(await sorted('filter_id=pinned&cal_layout=M')).toEqual([3]);
    expect(await sorted('filter_id=tasks')).toEqual([10]);
    expect(await sorted('filter_id=store', 'STORE_PROJECTS')).toEqual([30, 51]);
    expect(await sorted('filter_id=weekly&priority=2,3')).toEqual([2, 30]);
  });

  it('F079 D-35 P8 a filter that does not resolve is ignored and named; strict handling refuses it', async () => {
    for (const id of ['foreign', 'nope', '%00', 'x'.repeat(5000)]) {
      const query = `source_id=CALENDAR&${MONTH}&filter_id=${id}`;
      const { json, headers } = await get(query);
      expect(Object.keys(json)).toEqual(['status', 'calendar_data']);
      expect(keysOf(json)).toHaveLength(month.length);
      expect(headers.get('x-ignored-parameters')).toBe('filter_id');
      expect(await get(`${query}&pin=1`, ana, { prefer: 'handling=strict' })).toMatchObject({
        status: 400,
        json: { errorCode: 'E900', response: expect.stringMatching(/^filter_id: .*; pin: /) },
      });
    }
    const none = await get(`source_id=CALENDAR&${MONTH}&filter_id=nope&status=X`);
    expect(none.json['error_code']).toBe('E404');
    expect(none.headers.get('x-ignored-parameters')).toBe('status, filter_id');
    const found = await get(`source_id=CALENDAR&${MONTH}&filter_id=weekly`, ana, {
      prefer: 'handling=strict',
    });
    expect([found.status, found.headers.get('x-ignored-parameters')]).toEqual([200, null]);
  });

  it('D-23 cuts a range at 1,096 days and says so; strict handling refuses it', async () => {
    const long = 'source_id=CALENDAR&from_date=20260101&to_date=20991231&filter_id=weekly';
    const answer = await get(long);
    expect(answer.json['selectedDates']).toHaveLength(1096);
    expect(answer.json['selectedDates'].at(-1)).toBe('20281231');
    expect(answer.headers.get('x-ignored-parameters')).toBe('to_date');
    expect(await get(long, ana, { prefer: 'handling=strict' })).toMatchObject({
      status: 400,
      json: { errorCode: 'E900' },
    });
  });
});
