import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { planOf, readsDuring, rowsRead } from '../../support/plans.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    feed(1, {
      feed_title: '100% Äpfel_rot',
      message_type: 'MSG',
      feed_type_id: 'A',
      priority: 1,
      tags: ['Easter', 'cake'],
      attributes: [{ scope: 'COM', name: 'region', value: 'North' }],
      user_states: [{ user: 'ana', pin: 1, promote_to_note_flag: 1 }],
    }),
    feed(2, {
      feed_title: '100 birnen',
      message_type: 'NEWS',
      feed_type_id: 'B',
      priority: 2,
      tags: ['cake'],
      attributes: [{ scope: 'MSG', name: 'region', value: 'North' }],
      user_states: [{ user: 'ana', favorite_flag: 1 }],
    }),
    feed(3, {
      feed_title: 'straße \\ %41',
      priority: 3,
      user_states: [
        { user: 'ana', follow: 1 },
        { user: 'bob', pin: 1 },
      ],
    }),
    feed(4, { feed_title: 'A', user_states: [{ user: 'ana', acknowledged_flag: 1 }] }),
    feed(5, {
      feed_title: 'dated',
      start_date_time: '2026-11-10T23:30:00Z',
      end_date_time: '2026-11-12T23:00:00Z',
    }),
    feed(6, { feed_title: 'start only', start_date_time: '2026-11-20T10:00:00Z' }),
    feed(7, { feed_title: 'end only', end_date_time: '2026-11-21T10:00:00Z' }),
    feed(8, { owner: 'bob', unit: 'Berlin', start_date_time: '2026-11-21T10:00:00Z' }),
  ]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

async function keys(query: string): Promise<number[]> {
  const { json } = await app.rest(`/task/v1/feeds/list?projections=feed_key&${query}`, ana);
  return (json['feed_details'] ?? []).map((item: { feed_key: number }) => item.feed_key).sort();
}
const all = [1, 2, 3, 4, 5, 6, 7];
const but = (...gone: number[]): number[] => all.filter((key) => !gone.includes(key));

it.each([
  ['F127 pin', 'pin', 1],
  ['F128 favorite', 'favorite', 2],
  ['F129 follow', 'follow', 3],
  ['F134 acknowledge_flag', 'acknowledge_flag', 4],
  ['F135 promote_to_note_flag', 'promote_to_note_flag', 1],
])('%s: -1 all, 0 not, 1 yes; anything else is all', async (_, name, key) => {
  expect(await keys(`${name}=1`)).toEqual([key]);
  expect(await keys(`${name}=0`)).toEqual(but(key));
  for (const value of ['-1', '', '2', 'x', '1.0', '01'])
    expect(await keys(`${name}=${value}`)).toEqual(all);
});

it.each([
  ['F130 message_type, any of', 'message_type=MSG,NEWS', [1, 2]],
  ['F130 message_type is exact', 'message_type=msg', []],
  ['F132 priority', 'priority=1,3', [1, 3]],
  ['F132 priority with an unusable token', 'priority=1,x', [1]],
  ['F132 priority with unusable tokens only matches nothing', 'priority=x', []],
  ['F132 priority beyond 32 bits matches nothing', 'priority=99999999999', []],
  ['F132 no priority stands for feeds without one', 'priority=2147483647', []],
  ['F132 nor beside others', 'priority=1,2147483647', [1]],
  ['F141 no type stands for feeds without one', 'feed_type_id=%F4%8F%BF%BF', []],
  ['F132 priority of commas matches nothing', 'priority=,', []],
  ['F131 status with an unknown code matches nothing', 'status=X', []],
  ['F136 com_attr_val ignores case and the other scope', 'com_attr_val=nORTH', [1]],
  ['F137 msg_attr_val', 'msg_attr_val=south,north', [2]],
  ['F141 feed_type_id', 'feed_type_id=A,B', [1, 2]],
  ['F142 tags, any of, in any case', 'tags=EASTER,none', [1]],
  ['F133 feed_title folds case', 'feed_title=äPFEL', [1]],
  ['F133 feed_title folds ß', 'feed_title=STRASSE', [3]],
  ['F133 a percent sign is literal', `feed_title=${encodeURIComponent('100%')}`, [1]],
  ['F133 an underscore is literal', 'feed_title=l_r', [1]],
  ['F133 a backslash is literal', 'feed_title=%5C', [3]],
  [
    'F133 encoded twice is decoded once more',
    `feed_title=${encodeURIComponent(encodeURIComponent('Äpfel'))}`,
    [1],
  ],
  ['F133 NUL matches nothing', 'feed_title=%00', []],
  ['F133 an encoded NUL matches nothing', 'feed_title=%2500', []],
  [
    'F126 cut_off_time: feeds that end before are left out, undated stay',
    `cut_off_time=${Date.UTC(2026, 10, 13)}`,
    but(5),
  ],
  [
    'F126 cut_off_time beyond all years leaves what has no end',
    'cut_off_time=9007199254740991',
    but(5, 7),
  ],
  [
    'F126 cut_off_time, an int64, is as far off beyond 2^53',
    'cut_off_time=9223372036854775807',
    but(5, 7),
  ],
  ['F126 cut_off_time 0 is off', 'cut_off_time=0', all],
  ['F126 cut_off_time that is no number is off', 'cut_off_time=yesterday', all],
  [
    'F140 F145 return_type and return_format change nothing',
    'return_type=X&return_format=XML',
    all,
  ],
  ['a parameter sent twice: the first counts', 'pin=1&pin=0', [1]],
])('%s', async (_, query, expected) => {
  expect(await keys(query)).toEqual(expected);
});

it.each([
  'feeds/list?priority',
  'feeds/count?start_date=20261101&end_date=20261130&tags',
  'feeds/list-latest?message_type',
  'calendar?source_id=CALENDAR&from_date=20261101&to_date=20261130&cal_filter_unit',
  'calendar/leadership?cal_type=M&month_no=11&year=2026&view_unit',
])('too long a list is refused by the name of its parameter: %s', async (path) => {
  const send = (values: number): Promise<RestAnswer> =>
    app.rest(`/task/v1/${path}=${Array.from({ length: values }, (_, at) => at).join()}`, ana);
  expect((await send(1_096)).status).toBe(200);
  expect(await send(1_097)).toMatchObject({
    status: 400,
    json: { errorCode: 'E900', response: `${path.split(/[?&]/).at(-1)}: at most 1096 values` },
  });
});

it('of a list, equal values count once, and those that are none count as well', async () => {
  const send = async (values: string[]): Promise<number> =>
    (await app.rest(`/task/v1/feeds/list?priority=${values.join()}`, ana)).status;
  expect(await send(Array<string>(2_000).fill('1'))).toBe(200);
  const words = Array.from({ length: 1_097 }, (_, at) => `x${at}`);
  expect(await send(words.slice(1))).toBe(200);
  expect(await send(words)).toBe(400);
});

describe('F125 F147 selected_dates and week_dates', () => {
  it.each([
    ['the day it starts, in the zone of the session', 'selected_dates=20261111', [5]],
    ['the day before, which is the day in UTC', 'selected_dates=20261110', []],
    ['a day within', 'selected_dates=20261112', [5]],
    [
      'the day it ends: 23:00 UTC is midnight, and the end belongs to it',
      'selected_dates=20261113',
      [5],
    ],
    [
      'a missing end is the start, a missing start the end',
      'selected_dates=20261120,20261121',
      [6, 7],
    ],
    ['both must hold', 'selected_dates=20261120,20261121&week_dates=20261121', [7]],
    ['unusable days are dropped', 'selected_dates=20261120,20260230,x', [6]],
    ['only unusable days match nothing', 'selected_dates=20260230', []],
  ])('%s', async (_, query, expected) => {
    expect(await keys(query)).toEqual(expected);
  });
});

it('D-23 a feed without dates is on no day, not even on the last, in any zone', async () => {
  const zones = ['Etc/GMT+12', 'America/New_York', 'UTC', 'Europe/Berlin', 'Etc/GMT-14'];
  const people = zones.map((time_zone_long, index) => ({
    record: 'user',
    domain: 'acme',
    login: `undated${index}`,
    unit: 'Boston',
    time_zone_long,
  }));
  await app.load([
    ...people,
    ...people.map(({ login }, index) => feed(900 + index, { owner: login, unit: 'Boston' })),
  ]);
  for (const [index, zone] of zones.entries()) {
    const token = await app.signedIn(`undated${index}`);
    for (const view of ['MV', 'SV']) {
      const total = async (path: string, query: string): Promise<unknown> => {
        const { json } = await app.rest(`/task/v1/feeds/${path}?view_type=${view}&${query}`, token);
        return json['count_data']?.total ?? json['feed_details']?.length ?? json['errorCode'];
      };
      const found = [
        await total('list', ''),
        await total('list', 'selected_dates=99991231'),
        await total('list', 'week_dates=99991230,99991231'),
        await total('count', 'start_date=99991231&end_date=99991231'),
        await total('count', 'start_date=20260101&end_date=99991231'),
      ];
      expect(found, `${zone} ${view}`).toEqual([
        view === 'MV' ? 1 : zones.length,
        ...Array.from({ length: 4 }, () => 'E404'),
      ]);
    }
  }
});

it('F132 a priority that no feed has counts nothing, from counters either', async () => {
  for (const view of ['MV', 'SV']) {
    const { json } = await app.rest(
      `/task/v1/feeds/count?start_date=20200101&end_date=20301231&view_type=${view}&priority=2147483647`,
      ana,
    );
    expect(json['errorCode'], view).toBe('E404');
  }
});

it('F133 a long title is searched to its end, and across what lists hold of it', async () => {
  await app.load([{ record: 'user', domain: 'acme', login: 'long', unit: 'Boston' }]);
  const titles = [`${'x'.repeat(396)}end`, `${'ü'.repeat(398)}end`, `${'x'.repeat(1_997)}END`];
  await app.load(titles.map((feed_title, at) => feed(950 + at, { owner: 'long', feed_title })));
  const token = await app.signedIn('long');
  const found = async (title: string): Promise<number[]> => {
    const query = `view_type=MV&feed_title=${encodeURIComponent(title)}`;
    const { json } = await app.rest(`/task/v1/feeds/list?projections=feed_key&${query}`, token);
    return (json['feed_details'] ?? []).map((row: { feed_key: number }) => row.feed_key).sort();
  };
  expect(await found('end')).toEqual([950, 951, 952]);
  expect(await found('ÜEN')).toEqual([951]);
  expect(await found('x'.repeat(401))).toEqual([952]);
  expect(await found(`${'x'.repeat(397)}end`)).toEqual([952]);
  expect(await found('ends')).toEqual([]);
});

it('F130 message_type of few feeds does not look up each feed of the list, of many neither', async () => {
  await app.load([
    { record: 'user', domain: 'acme', login: 'typed', unit: 'Boston' },
    ...Array.from({ length: 3_000 }, (_, n) => {
      const message_type = n % 1_000 === 999 ? 'RARE' : 'USUAL';
      return feed(3_000 + n, {
        owner: 'typed',
        message_type,
        start_date_utc: '2026-12-01T12:00:00Z',
      });
    }),
  ]);
  const { db } = app.services;
  await db.rows('VACUUM ANALYZE', []);
  const token = await app.signedIn('typed');
  const list = async (type: string, path = '/task/v1/feeds/list?view_type=MV') => {
    let keys: number[] = [];
    const statements = await readsDuring(app, async () => {
      const query = `projections=feed_key&message_type=${type}`;
      const { json } = await app.rest(`${path}&${query}`, token);
      const found: { feed_key: number }[] = (json['calendar_data'] ?? json).feed_details;
      keys = found.map((row) => row.feed_key);
    });
    let read = 0;
    for (const statement of statements) read += rowsRead(await planOf(db, statement), 'feed');
    return { keys, read };
  };
  const calendar = '/task/v1/calendar?source_id=CALENDAR&from_date=20261201&to_date=20261231';
  for (const path of [undefined, calendar]) {
    const rare = await list('RARE', path);
    expect(rare.keys.sort()).toEqual([3_999, 4_999, 5_999]);
    expect(rare.read).toBeLessThan(300);
  }
  const usual = await list('USUAL');
  expect(usual.keys).toHaveLength(20);
  expect(usual.read).toBeLessThan(2_000);
});

it('D-22 a day filter covers 23, 24 or 25 hours of the zone', async () => {
  const zones: [string, string, string][] = [
    ['Europe/Berlin', '20260329', '20261025'],
    ['America/New_York', '20260308', '20261101'],
    ['Asia/Kolkata', '20260329', '20261025'],
    ['Australia/Lord_Howe', '20261004', '20260405'],
    ['UTC', '20260329', '20261025'],
  ];
  const { Temporal } = await import('temporal-polyfill');
  let key = 1_000;
  for (const [zone, ...days] of zones) {
    const login = zone.toLowerCase().replace('/', '-');
    await app.load([{ record: 'user', domain: 'acme', login, time_zone_long: zone }]);
    const token = await app.signedIn(login);
    for (const day of days) {
      const date = Temporal.PlainDate.from(day);
      const [from, to] = [date, date.add({ days: 1 })].map(
        (plain) => plain.toZonedDateTime(zone).epochMilliseconds,
      );
      const edges = [from! - 1_000, from!, to! - 1_000, to!];
      await app.load(
        edges.map((ms) =>
          feed(++key, {
            owner: login,
            start_date_time: new Date(ms).toISOString(),
            end_date_time: new Date(ms).toISOString(),
          }),
        ),
      );
      const { json } = await app.rest(
        `/task/v1/feeds/list?projections=start_date_time&selected_dates=${day}`,
        token,
      );
      const iso = date.toString();
      expect(
        json['feed_details'].map((row: { feed_key: number }) => row.feed_key),
        `${zone} ${day}`,
      ).toEqual([key - 2, key - 1]);
      for (const row of json['feed_details']) expect(row.start_date_time.slice(0, 10)).toBe(iso);
      const count = await app.rest(`/task/v1/feeds/count?start_date=${day}&end_date=${day}`, token);
      expect(count.json['count_data'].total).toBe(2);
    }
  }
});
