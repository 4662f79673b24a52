import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
let chief: string;
const noData = '{"status":"ER","error_code":"E404","response":"No data found"}';
const project = (
  key: number,
  start: string | null,
  end: string | null,
  more: object = {},
): object =>
  feed(key, {
    kind: 'PROJECT',
    owner: 'bob',
    unit: 'Berlin',
    time_zone: 'Europe/Berlin',
    feed_title: `Project ${key}`,
    ...(start && { start_date_time: `${start} 00:00:00` }),
    ...(end && { end_date_time: `${end} 23:00:00` }),
    ...more,
  });

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    {
      record: 'user',
      domain: 'acme',
      login: 'chief',
      display_name: 'Chief',
      unit: 'Boston',
      time_zone_long: 'Europe/Berlin',
      permissions: ['DOMAIN_ADMIN'],
    },
    project(1, '2027-01-04', '2027-01-06', {
      feed_type_id: 'PROMO',
      exec_level: '1',
      priority: 1,
      assignments: [{ dept: 'Office' }],
    }),
    project(2, '2026-12-20', '2027-02-02', {
      feed_type_id: 'RESET',
      exec_level: '2',
      priority: 2,
      feed_title: 'Großer Umbau 100%',
    }),
    project(3, '2027-03-01', '2027-03-01'),
    project(4, null, '2027-01-31', { owner: 'ana', unit: null, dept: 'Logistics' }),
    project(5, null, null),
    project(6, '2027-01-10', '2027-01-11', { parent_feed_key: 1 }),
    project(7, '2027-01-10', '2027-01-11', { unit: 'Boston' }),
    project(8, '2027-01-10', '2027-01-11', { is_confidential: true, dept: 'Bakery' }),
    project(9, '2027-01-10', '2027-01-11', { is_confidential: true, dept: 'Office' }),
    project(10, '2027-01-10', '2027-01-11', { kind: 'MESSAGE' }),
    { ...project(900, '2027-01-10', '2027-01-11'), domain: 'rival', owner: 'eve' },
    { record: 'leadership_category', domain: 'acme', name: 'Later', position: 2 },
    { record: 'leadership_category', domain: 'acme', name: 'First', position: 1 },
    { record: 'leadership_category', domain: 'rival', name: 'Theirs' },
    {
      record: 'leadership_legend',
      domain: 'acme',
      name: 'Sales',
      legend_type_id: 10,
      color: '#0a0',
      feed_keys: [1, 8],
    },
    {
      record: 'leadership_legend',
      domain: 'acme',
      name: 'Build',
      legend_type_id: 20,
      color: '#00a',
      feed_keys: [2],
    },
    {
      record: 'leadership_legend',
      domain: 'rival',
      name: 'Theirs',
      legend_type_id: 10,
      color: '#a00',
    },
    { record: 'calendar_note', user: 'ana', date: '20270105', note: 'Call the printer' },
    { record: 'calendar_note', user: 'ana', date: '20270105', note: 'Order flour' },
    { record: 'calendar_note', user: 'ana', date: '20270301', note: 'Spring' },
    { record: 'calendar_note', user: 'bob', date: '20270105', note: "Bob's" },
    { record: 'monthly_note', domain: 'acme', user: 'ana', month: '202701', note: 'My January' },
    { record: 'monthly_note', domain: 'acme', month: '202701', note: 'Our January' },
    { record: 'monthly_note', domain: 'acme', user: 'bob', month: '202701', note: "Bob's January" },
    { record: 'monthly_note', domain: 'rival', month: '202701', note: 'Their January' },
  ]);
  ana = await app.signedIn('ana');
  chief = await app.signedIn('chief');
});
afterAll(() => app.close());

const get = (query: string, token = ana): Promise<RestAnswer> =>
  app.rest(`/task/v1/calendar/leadership?${query}`, token);
const post = (body: string, type = 'application/x-www-form-urlencoded'): Promise<RestAnswer> =>
  app.rest('/service/execute/getLeadershipCalendarData', ana, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });
const items = (json: Record<string, any>): any[] =>
  json['leadership_data']?.leadership_calender_project_data ?? [];
const keys = async (query: string): Promise<number[]> =>
  items((await get(`cal_type=M&month_no=1&year=2027&${query}`)).json)
    .map((item) => item.project_id)
    .sort((a, b) => a - b);
const january = [1, 2, 4, 8];

describe('GET /task/v1/calendar/leadership', () => {
  it('F090 F104 F105 F106 F107 F108 answers projects, categories, legends, notes and monthly notes', async () => {
    const { json } = await get('cal_type=M&month_no=1&year=2027');
    const data = json['leadership_data'];
    expect(Object.keys(json)).toEqual(['status', 'leadership_data']);
    expect(Object.keys(data)).toEqual([
      'leadership_calender_project_data',
      'leadership_categories',
      'leadership_admin_legend_details',
      'notes',
      'monthly_notes',
    ]);
    const [sales, build] = data.leadership_admin_legend_details;
    expect(data.leadership_admin_legend_details).toEqual([
      { id: expect.any(Number), name: 'Sales', color: '#0a0' },
      { id: expect.any(Number), name: 'Build', color: '#00a' },
    ]);
    expect(data.leadership_categories).toEqual([
      { id: expect.any(Number), name: 'First' },
      { id: expect.any(Number), name: 'Later' },
    ]);
    expect(data.leadership_calender_project_data).toEqual([
      {
        project_id: 2,
        project_title: 'Großer Umbau 100%',
        project_type: 'RESET',
        start_date: 20261220,
        end_date: 20270202,
        span: 45,
        priority: 2,
        legend_id: build.id,
      },
      {
        project_id: 1,
        project_title: 'Project 1',
        project_type: 'PROMO',
        start_date: 20270104,
        end_date: 20270106,
        span: 3,
        priority: 1,
        legend_id: sales.id,
      },
      {
        project_id: 8,
        project_title: 'Project 8',
        project_type: null,
        start_date: 20270110,
        end_date: 20270111,
        span: 2,
        priority: null,
        legend_id: sales.id,
      },
      {
        project_id: 4,
        project_title: 'Project 4',
        project_type: null,
        start_date: 20270131,
        end_date: 20270131,
        span: 1,
        priority: null,
        legend_id: null,
      },
    ]);
    expect(data.notes).toEqual({
      20270105: [
        { notes_id: expect.any(Number), note: 'Call the printer' },
        { notes_id: expect.any(Number), note: 'Order flour' },
      ],
    });
    expect(data.monthly_notes).toEqual({
      202701: [
        { notes_id: expect.any(Number), note: 'My January' },
        { notes_id: expect.any(Number), note: 'Our January' },
      ],
    });
  });

  it('F092 a year holds all of its months, by the start that is shown; the month is checked and not used', async () => {
    const { json } = await get('cal_type=A&month_no=7&year=2027');
    // 4 has an end only, which is shown as its start; 3 starts later.
    expect(items(json).map((item) => item.project_id)).toEqual([2, 1, 8, 4, 3]);
    expect(Object.keys(json['leadership_data'].notes)).toEqual(['20270105', '20270301']);
    expect(
      items((await get('cal_type=M&month_no=02&year=2027')).json).map((item) => item.project_id),
    ).toEqual([2]);
    expect(
      items((await get('cal_type=M&month_no=12&year=2026')).json).map((item) => item.project_id),
    ).toEqual([2]);
  });

  it('F109 D-02 no data only when projects, notes and monthly notes are all empty', async () => {
    expect((await get('cal_type=M&month_no=6&year=2030')).text).toBe(noData);
    expect((await post('cal_type=M&month_no=6&year=2030')).text).toBe(noData);
    expect(
      (await get('cal_type=M&month_no=1&year=2027&priority=99')).json['leadership_data'],
    ).toMatchObject({ leadership_calender_project_data: [], monthly_notes: { 202701: [{}, {}] } });
    expect(
      (await get('cal_type=M&month_no=3&year=2027&priority=99')).json['leadership_data'],
    ).toMatchObject({ monthly_notes: {}, notes: { 20270301: [{ note: 'Spring' }] } });
  });

  it.each([
    ['F095', 'project_type_id=PROMO,x', [1]],
    ['F095', 'project_type_id=x', []],
    ['F096', 'exec_level=1,2', [1, 2]],
    ['F096', 'exec_level=x', []],
    ['F096', 'exec_level=2,x', [2]],
    ['F099', 'project_title=UMBAU', [2]],
    ['F099', 'project_title=100%25', [2]],
    ['F099', 'project_title=%00', []],
    ['F100', 'legend_type=10', [1, 8]],
    ['F100', 'legend_type=10,20', [1, 2, 8]],
    ['F100', 'legend_type=,', []],
    ['F101', 'priority=1,2', [1, 2]],
    ['F101', 'priority=1.5', []],
    ['F102', 'show_only_my_projects=true', [4]],
    ['F102', 'show_only_my_projects=TRUE', [4]],
    ['F102', 'show_only_my_projects=false', january],
    ['F102', 'show_only_my_projects=1', january],
    ['F103', 'show_field_projects=true', [1, 2, 4, 6, 8]],
    ['F103', 'show_field_projects=yes', january],
  ])('%s %s', async (_, query, expected) => {
    expect(await keys(query)).toEqual(expected);
  });

  it('F097 F098 assignments and view_unit name departments and units, within what is visible', async () => {
    const id = async (table: string, name: string): Promise<string> =>
      (
        await app.services.db.rows(
          `SELECT t.id FROM ${table} t JOIN domain d ON d.id = t.domain_id WHERE d.name = 'acme' AND t.name = $1`,
          [name],
        )
      )[0]![0]!;
    expect(await keys(`assignments=${await id('dept', 'Office')}`)).toEqual([1]);
    expect(await keys('assignments=x')).toEqual([]);
    expect(await keys(`view_unit=${await id('unit', 'Berlin')}`)).toEqual([1, 2, 8]);
    expect(await keys(`view_unit=${await id('unit', 'Boston')}`)).toEqual([]);
  });

  it('F005 shows nothing of another domain', async () => {
    const { json } = await get(
      'cal_type=M&month_no=1&year=2027&domain_id=1&user_id=1',
      await app.signedIn('eve'),
    );
    expect(items(json).map((item) => item.project_id)).toEqual([900]);
    expect(json['leadership_data']).toMatchObject({
      leadership_categories: [{ name: 'Theirs' }],
      notes: {},
      monthly_notes: { 202701: [{ note: 'Their January' }] },
    });
  });
});

describe('bad input', () => {
  const good: Record<string, string> = { cal_type: 'M', month_no: '1', year: '2027' };
  const form = (values: Record<string, string>): string => new URLSearchParams(values).toString();
  const faces: Record<string, (values: Record<string, string>) => Promise<RestAnswer>> = {
    GET: (values) => get(form(values)),
    'legacy form': (values) => post(form(values)),
    'legacy JSON': (values) => post(JSON.stringify(values), 'application/json'),
  };

  describe.each(Object.keys(faces))('%s', (face) => {
    const send = faces[face]!;
    it.each([
      ['F092', 'cal_type', 'E144', ['', ' ', 'X', 'm', 'MA', 'M,A', '\0', 'x'.repeat(5000)]],
      [
        'F093',
        'month_no',
        'E145',
        ['', '0', '13', 'abc', '1.5', '-1', '001', '\0', '9'.repeat(5000)],
      ],
      [
        'F094',
        'year',
        'E146',
        ['', '24', '02024', '0000', 'abcd', '-202', '2e33', '\0', '9'.repeat(5000)],
      ],
    ])('%s refuses %s that is absent, empty or malformed with %s', async (_, name, code, bad) => {
      const rest = Object.fromEntries(Object.entries(good).filter(([other]) => other !== name));
      expect(await send(rest)).toMatchObject({
        status: 400,
        json: { status: 'ER', errorCode: code },
      });
      for (const value of bad)
        expect(await send({ ...good, [name]: value }), value).toMatchObject({
          status: 400,
          json: { status: 'ER', errorCode: code },
        });
    });

    it('D-03 answers the first of several faults', async () => {
      expect(await send({})).toMatchObject({ json: { errorCode: 'E144' } });
      expect(await send({ cal_type: 'A', year: 'x' })).toMatchObject({
        json: { errorCode: 'E145' },
      });
    });

    it.each([
      'project_type_id',
      'exec_level',
      'assignments',
      'view_unit',
      'project_title',
      'legend_type',
      'priority',
      'show_only_my_projects',
      'show_field_projects',
    ])('%s: empty is the default; malformed and huge never fail and never widen', async (name) => {
      const all = items((await send({ ...good, show_field_projects: 'true' })).json).map(
        (item) => item.project_id,
      );
      expect(
        items((await send({ ...good, show_field_projects: 'true', [name]: '' })).json).length,
      ).toBe(name === 'show_field_projects' ? january.length : all.length);
      for (const value of [
        '\0',
        '%',
        ',',
        'x',
        '-1',
        '9'.repeat(2000),
        'a,'.repeat(1000),
        '1'.repeat(11),
      ]) {
        const answer = await send({ ...good, show_field_projects: 'true', [name]: value });
        expect(answer.status).toBe(200);
        expect(all).toEqual(
          expect.arrayContaining(items(answer.json).map((item) => item.project_id)),
        );
      }
    });
  });

  it.each(Object.entries(good))(
    'takes the first of a repeated %s and names it',
    async (name, value) => {
      const answer = await get(`${name}=${value}&${form(good)}&${name}=X`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-ignored-parameters')).toBe(name);
    },
  );

  it('F091 the legacy path is the same operation, says that it is deprecated, and lets the body win', async () => {
    const answer = await post(form(good));
    expect(answer.text).toBe((await get(form(good))).text);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('sunset')).toMatch(/GMT$/);
    expect(answer.headers.get('link')).toBe(
      '</task/v1/calendar/leadership>; rel="successor-version"',
    );
    const mixed = await app.rest(
      '/service/execute/getLeadershipCalendarData?cal_type=A&month_no=1&year=2027',
      ana,
      {
        method: 'POST',
        body: '{"cal_type":"M","month_no":2,"year":2027}',
        headers: { 'content-type': 'application/json' },
      },
    );
    expect(items(mixed.json).map((item) => item.project_id)).toEqual([2]);
    expect(
      (
        await app.rest('/service/execute/getLeadershipCalendarData', undefined, { method: 'POST' })
      ).headers.get('deprecation'),
    ).toMatch(/^@\d+$/);
  });
});

describe('viewer.leadershipCalendar', () => {
  const query = `query($type: LeadershipCalendarType!, $month: Int!, $year: Int!, $filter: LeadershipFilter) { viewer { leadershipCalendar(type: $type, month: $month, year: $year, filter: $filter) {
    truncated projects { projectId projectTitle projectType startDate endDate span priority legend { id name color } feed { feedKey } } categories { id name } legends { id name color }
    notes { notesId date note } monthlyNotes { notesId year month note forEveryone } } } }`;

  it.each([
    ['', {}],
    [
      'project_type_id=PROMO,RESET&exec_level=1,2&priority=1',
      { projectTypeIds: ['PROMO', 'RESET'], execLevels: [1, 2], priorities: [1] },
    ],
    ['legend_type=10&show_field_projects=true', { legendTypes: [10], showFieldProjects: true }],
    [
      'show_only_my_projects=true&project_title=project',
      { showOnlyMyProjects: true, projectTitle: 'project' },
    ],
    ['view_unit=0&assignments=0', { viewUnits: [0], assignments: [0] }],
  ])('F090 both faces agree on %s', async (rest, filter) => {
    for (const [type, letter] of [
      ['MONTHLY', 'M'],
      ['ANNUAL', 'A'],
    ]) {
      const { data, errors } = await app.gql(query, { type, month: 1, year: 2027, filter }, ana);
      expect(errors).toBeUndefined();
      const calendar = data.viewer.leadershipCalendar;
      const legacy = (await get(`cal_type=${letter}&month_no=1&year=2027&${rest}`)).json[
        'leadership_data'
      ];
      const integer = (day: string): number => Number(day.replaceAll('-', ''));
      expect(
        calendar.projects.map((p: any) => ({
          project_id: p.projectId,
          project_title: p.projectTitle,
          project_type: p.projectType,
          start_date: integer(p.startDate),
          end_date: integer(p.endDate),
          span: p.span,
          priority: p.priority,
          legend_id: p.legend ? Number(p.legend.id) : null,
        })),
      ).toEqual(legacy.leadership_calender_project_data);
      expect(calendar.categories.map((c: any) => ({ ...c, id: Number(c.id) }))).toEqual(
        legacy.leadership_categories,
      );
      expect(calendar.legends.map((c: any) => ({ ...c, id: Number(c.id) }))).toEqual(
        legacy.leadership_admin_legend_details,
      );
      expect(calendar.notes.map((n: any) => [n.notesId, n.note])).toEqual(
        Object.values(legacy.notes)
          .flat()
          .map((n: any) => [n.notes_id, n.note]),
      );
      expect(calendar.monthlyNotes.map((n: any) => [n.notesId, n.note, n.forEveryone])).toEqual(
        Object.values(legacy.monthly_notes)
          .flat()
          .map((n: any) => [n.notes_id, n.note, n.note.startsWith('Our')]),
      );
    }
  });

  it('F093 F094 refuses months and years that are none', async () => {
    const code = async (month: number, year: number): Promise<unknown> =>
      (await app.gql(query, { type: 'MONTHLY', month, year }, ana)).errors?.[0]?.extensions[
        'legacyCode'
      ];
    expect([
      await code(0, 2027),
      await code(13, 2027),
      await code(1, 0),
      await code(1, 10_000),
    ]).toEqual(['E145', 'E145', 'E146', 'E146']);
  });
});

describe('notes', () => {
  const day = `mutation($input: SetCalendarNoteInput!) { setCalendarNote(input: $input) { __typename ... on SetCalendarNotePayload { clientMutationId note { notesId date note } } ... on ValidationError { problems { path code } } ... on NotFoundError { entity } } }`;
  const month = `mutation($input: SetMonthlyNoteInput!) { setMonthlyNote(input: $input) { __typename ... on SetMonthlyNotePayload { note { notesId year month note forEveryone } } ... on ValidationError { problems { path code } } ... on NotFoundError { entity } ... on ForbiddenError { code } } }`;
  const setDay = async (input: object, token = ana): Promise<any> =>
    (await app.gql(day, { input }, token)).data?.setCalendarNote;
  const setMonth = async (input: object, token = ana): Promise<any> =>
    (await app.gql(month, { input }, token)).data?.setMonthlyNote;

  it('F107 are written, moved, changed and removed', async () => {
    const { note, clientMutationId } = await setDay({
      date: '2028-02-29',
      note: 'Leap',
      clientMutationId: 'x',
    });
    expect([note.date, note.note, clientMutationId]).toEqual(['2028-02-29', 'Leap', 'x']);
    expect((await get('cal_type=M&month_no=2&year=2028')).json['leadership_data'].notes).toEqual({
      20280229: [{ notes_id: note.notesId, note: 'Leap' }],
    });
    expect(
      await setDay({ notesId: note.notesId, date: '2028-02-28', note: 'Earlier' }),
    ).toMatchObject({ note: { notesId: note.notesId, date: '2028-02-28', note: 'Earlier' } });
    expect(
      await setDay({ notesId: note.notesId, date: '2028-02-28', note: 'Theirs' }, chief),
    ).toEqual({ __typename: 'NotFoundError', entity: 'CalendarNote' });
    expect(await setDay({ notesId: note.notesId, date: '2028-02-28', note: ' ' })).toMatchObject({
      note: null,
    });
    expect(await setDay({ notesId: note.notesId, date: '2028-02-28' })).toMatchObject({
      __typename: 'NotFoundError',
    });
    expect((await get('cal_type=M&month_no=2&year=2028')).text).toBe(noData);
  });

  it('are at most 50 on one day, and for one month', async () => {
    const { prisma } = app.services.db;
    const { id: userId, domainId } = await prisma.user.findUniqueOrThrow({
      where: { login: 'ana' },
    });
    const many = Array.from({ length: 49 }, (_, n) => `note ${n}`);
    await prisma.calendarNote.createMany({
      data: many.map((text) => ({ userId, day: '20290301', text })),
    });
    await prisma.monthlyNote.createMany({
      data: many.map((text) => ({ domainId, userId, month: '202903', text })),
    });
    for (const set of [
      () => setDay({ date: '2029-03-01', note: 'one more' }),
      () => setMonth({ year: 2029, month: 3, note: 'one more' }),
    ]) {
      expect(await set()).toMatchObject({ note: { note: 'one more' } });
      expect(await set()).toMatchObject({
        __typename: 'ValidationError',
        problems: [{ code: 'TOO_MANY' }],
      });
    }
    const { note: elsewhere } = await setDay({ date: '2029-03-02', note: 'another day' });
    const { note: later } = await setMonth({ year: 2029, month: 4, note: 'another month' });
    for (const moved of [
      await setDay({ ...elsewhere, date: '2029-03-01' }),
      await setMonth({ notesId: later.notesId, year: 2029, month: 3, note: 'moved' }),
    ])
      expect(moved).toMatchObject({ problems: [{ code: 'TOO_MANY' }] });
    expect(await setDay({ ...elsewhere, note: 'stays' })).toMatchObject({
      note: { note: 'stays' },
    });
  });

  it('are at most 50 when several come at the same moment', async () => {
    const { prisma } = app.services.db;
    const { id: userId, domainId } = await prisma.user.findUniqueOrThrow({
      where: { login: 'ana' },
    });
    const many = Array.from({ length: 49 }, (_, n) => `note ${n}`);
    await prisma.calendarNote.createMany({
      data: many.map((text) => ({ userId, day: '20300301', text })),
    });
    await prisma.monthlyNote.createMany({
      data: [userId, null].flatMap((owner) =>
        many.map((text) => ({ domainId, userId: owner, month: '203003', text })),
      ),
    });
    for (const set of [
      () => setDay({ date: '2030-03-01', note: 'one more' }),
      () => setMonth({ year: 2030, month: 3, note: 'one more' }),
      () => setMonth({ year: 2030, month: 3, note: 'one more', forEveryone: true }, chief),
    ]) {
      const done = await Promise.all(Array.from({ length: 8 }, set));
      expect(done.filter((one) => one.note)).toHaveLength(1);
    }
  });

  it('F107 F108 refuse what can not be a note', async () => {
    for (const [note, code] of [
      [null, 'REQUIRED'],
      ['  ', 'REQUIRED'],
      ['x'.repeat(2001), 'TOO_LONG'],
      ['a\0b', 'UNSTORABLE'],
    ]) {
      expect(await setDay({ date: '2028-01-01', note })).toMatchObject({
        problems: [{ path: ['input', 'note'], code }],
      });
      expect(await setMonth({ year: 2028, month: 1, note })).toMatchObject({
        problems: [{ path: ['input', 'note'], code }],
      });
    }
    expect(
      (await app.gql(month, { input: { year: 2028, month: 13, note: 'x' } }, ana)).errors?.[0]
        ?.extensions,
    ).toMatchObject({ legacyCode: 'E145' });
  });

  it('F107 F108 take notes of 2,000 characters, whatever they are in UTF-16', async () => {
    const note = '😀'.repeat(2_000);
    expect(await setDay({ date: '2028-01-02', note })).toMatchObject({ note: { note } });
    expect(await setMonth({ year: 2028, month: 2, note })).toMatchObject({ note: { note } });
    expect(await setDay({ date: '2028-01-02', note: `${note}x` })).toMatchObject({
      problems: [{ code: 'TOO_LONG' }],
    });
  });

  it("F108 monthly notes are own ones, or everybody's when an administrator writes them", async () => {
    const own = (await setMonth({ year: 2029, month: 5, note: 'Mine' })).note;
    expect(own).toMatchObject({ year: 2029, month: 5, forEveryone: false });
    expect(await setMonth({ year: 2029, month: 5, note: 'All', forEveryone: true })).toEqual({
      __typename: 'ForbiddenError',
      code: 'FORBIDDEN',
    });
    const shared = (await setMonth({ year: 2029, month: 5, note: 'All', forEveryone: true }, chief))
      .note;
    expect(
      (await get('cal_type=M&month_no=5&year=2029')).json['leadership_data'].monthly_notes,
    ).toEqual({
      202905: [
        { notes_id: own.notesId, note: 'Mine' },
        { notes_id: shared.notesId, note: 'All' },
      ],
    });
    expect(
      (await get('cal_type=M&month_no=5&year=2029', chief)).json['leadership_data'].monthly_notes[
        '202905'
      ],
    ).toHaveLength(1);
    expect(
      await setMonth({ notesId: shared.notesId, year: 2029, month: 5, note: 'Changed' }),
    ).toEqual({ __typename: 'NotFoundError', entity: 'MonthlyNote' });
    expect(
      await setMonth({ notesId: own.notesId, year: 2029, month: 5, note: null }),
    ).toMatchObject({ note: null });
    expect(
      await setMonth(
        { notesId: shared.notesId, year: 2029, month: 6, note: 'Later', forEveryone: true },
        chief,
      ),
    ).toMatchObject({ note: { month: 6, note: 'Later' } });
  });
});

it('F109 D-48 a failure behind the service answers 200 E404, marked and logged; GraphQL tells the error', async () => {
  const logged: unknown[] = [];
  const broken = await startApp();
  await broken.load(organisation);
  const token = await broken.signedIn('ana');
  broken.services.log.error = (...args: unknown[]) => logged.push(args);
  await broken.services.db.rows('ALTER TABLE leadership_legend RENAME TO gone', []);
  for (const [method, path] of [
    ['GET', '/task/v1/calendar/leadership'],
    ['POST', '/service/execute/getLeadershipCalendarData'],
  ] as const) {
    const answer = await broken.rest(`${path}?cal_type=M&month_no=1&year=2027`, token, { method });
    expect(answer).toMatchObject({ status: 200, text: noData });
    expect([answer.headers.get('x-degraded'), answer.headers.get('x-error-code')]).toEqual([
      'true',
      'E404',
    ]);
    expect(await broken.rest(`${path}?cal_type=M&month_no=1`, token, { method })).toMatchObject({
      status: 400,
      json: { errorCode: 'E146' },
    });
    expect(await broken.rest(path, undefined, { method })).toMatchObject({
      status: 401,
      json: { errorCode: 'E202' },
    });
  }
  expect(logged).toHaveLength(2);
  const { errors } = await broken.gql(
    '{ viewer { leadershipCalendar(type: MONTHLY, month: 1, year: 2027) { truncated } } }',
    {},
    token,
  );
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    legacyCode: 'E302',
  });
  await broken.close();
});

it('imports legends, categories and notes again without a change, and refuses what does not fit', async () => {
  const again = [
    {
      record: 'leadership_legend',
      domain: 'acme',
      name: 'Sales',
      legend_type_id: 10,
      color: '#0a0',
      feed_keys: [1, 8],
    },
    { record: 'calendar_note', user: 'ana', date: '20270105', note: 'Order flour' },
    { record: 'monthly_note', domain: 'acme', month: '202701', note: 'Our January' },
  ];
  const before = (await get('cal_type=M&month_no=1&year=2027')).text;
  await app.load(again);
  expect((await get('cal_type=M&month_no=1&year=2027')).text).toBe(before);
  await expect(
    app.load([
      {
        record: 'leadership_legend',
        domain: 'acme',
        name: 'X',
        legend_type_id: 1,
        color: 'red',
        feed_keys: [10],
      },
    ]),
  ).rejects.toThrow('feed_keys');
  await expect(
    app.load([
      {
        record: 'leadership_legend',
        domain: 'acme',
        name: 'X',
        legend_type_id: 1,
        color: 'red',
        feed_keys: [900],
      },
    ]),
  ).rejects.toThrow('feed_keys');
  await expect(
    app.load([{ record: 'calendar_note', user: 'ana', date: '20270230', note: 'x' }]),
  ).rejects.toThrow('date');
  await expect(
    app.load([{ record: 'monthly_note', domain: 'acme', user: 'eve', month: '202701', note: 'x' }]),
  ).rejects.toThrow('user');
});
