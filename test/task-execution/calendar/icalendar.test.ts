import { createHash } from 'node:crypto';
import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vtimezone } from '../../../src/task-execution/calendar/subscriptions/vtimezone.ts';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { untilSomebodyWaits } from '../../support/until-somebody-waits.ts';
import { feed } from '../../support/records.ts';
import { at, january } from './store.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp({ env: { BASE_PATH: '/gateway' } });
  await app.load(january);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const create = `mutation($input: CreateCalendarSubscriptionInput!) { createCalendarSubscription(input: $input) { __typename
  ... on CreateCalendarSubscriptionPayload { icsUrl subscriptionId clientMutationId } ... on ValidationError { problems { path code } } } }`;
const subscribe = async (input: object = {}, token = ana): Promise<any> =>
  (await app.gql(create, { input }, token)).data.createCalendarSubscription;
const fetchCalendar = (icsUrl: string, headers: Record<string, string> = {}): Promise<RestAnswer> =>
  app.rest(icsUrl.slice(app.url.length), undefined, { headers });
const events = (text: string): ICAL.Event[] =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event));

describe('F089 a calendar subscription', () => {
  it('gives a secret address of which only the hash is kept', async () => {
    const { icsUrl, subscriptionId, clientMutationId } = await subscribe({ clientMutationId: 'c' });
    expect(clientMutationId).toBe('c');
    expect(icsUrl.startsWith(`${app.url}/calendar/`)).toBe(true);
    const token = /\/calendar\/([\w-]{43})\.ics$/.exec(icsUrl)![1]!;
    const [row] = await app.services.db.rows(
      'SELECT token_hash, row_to_json(s)::text FROM calendar_subscription s WHERE id = $1',
      [subscriptionId],
    );
    expect(row![0]).toBe(`\\x${createHash('sha256').update(token).digest('hex')}`);
    expect(row![1]).not.toContain(token);
    expect(
      (
        await app.gql(
          '{ viewer { calendarSubscriptions { subscriptionId timeZone createdAt } } }',
          {},
          ana,
        )
      ).data.viewer.calendarSubscriptions,
    ).toContainEqual({
      subscriptionId,
      timeZone: 'Europe/Berlin',
      createdAt: '2026-11-20T12:00:00.000Z',
    });
  });

  it('is read back by another library: instants, texts, and "Busy" for confidential feeds', async () => {
    const { icsUrl } = await subscribe();
    const { status, headers, text } = await fetchCalendar(icsUrl);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8']);
    const all = events(text);
    const byKey = new Map(all.map((event) => [Number(/feed-(\d+)@/.exec(event.uid)![1]), event]));
    expect([...byKey.keys()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 6, 7, 9, 30, 31, 32, 33]);
    expect(byKey.get(1)!.summary).toBe('Alpha 100%_off');
    expect(byKey.get(1)!.startDate.toJSDate().toISOString()).toBe('2027-01-04T09:00:00.000Z');
    expect(byKey.get(1)!.endDate.toJSDate().toISOString()).toBe('2027-01-06T09:00:00.000Z');
    expect(byKey.get(7)!.summary).toBe('Busy');
    expect(text).not.toContain('bakery');
    expect(byKey.get(4)!.component.getFirstPropertyValue('status')).toBe('CANCELLED');
    expect(byKey.get(6)!.sequence).toBe(1);
    for (const stamp of text.match(/^(DTSTAMP|LAST-MODIFIED).*$/gm)!)
      expect(stamp.trim()).toMatch(/:\d{8}T\d{6}Z$/);
  });

  it('shows the first 8,000 characters of a description', async () => {
    await app.load([
      feed(90, {
        owner: 'bob',
        feed_title: 'Long',
        feed_description: '🧊'.repeat(9_000),
        start_date_time: at(4),
      }),
    ]);
    const { icsUrl } = await subscribe(
      { filter: { feedTitle: 'Long' } },
      await app.signedIn('bob'),
    );
    const [long] = events((await fetchCalendar(icsUrl)).text);
    expect(long!.description).toBe('🧊'.repeat(8_000));
  });

  it('holds to its filter, and shows only what its owner may see now', async () => {
    const titles = async (input: object): Promise<string[]> =>
      events((await fetchCalendar((await subscribe(input)).icsUrl)).text)
        .map((event) => event.summary)
        .sort();
    expect(
      await titles({ filter: { statuses: ['IN_PROGRESS', 'COMPLETED'], priorities: [2, 3] } }),
    ).toEqual(['Beta', 'Gamma']);
    expect(
      await titles({
        filter: { view: 'STORE_VIEW', taskView: 'PROJECT_VIEW', selectedDates: ['2027-01-08'] },
      }),
    ).toEqual(["The store's", "The store's project", 'Window']);
    expect(await titles({ filter: { taskView: 'TASK_VIEW' } })).toEqual(['Task']);
    expect(await titles({ filter: { tags: [] } })).toEqual([]);
  });

  it('answers 304 to its ETag until something changes', async () => {
    const { icsUrl } = await subscribe({ filter: { feedTitle: 'beta' } });
    const etag = (await fetchCalendar(icsUrl)).headers.get('etag')!;
    expect(await fetchCalendar(icsUrl, { 'if-none-match': etag })).toMatchObject({
      status: 304,
      text: '',
    });
    await app.gql(
      'mutation($id: ID!) { changeFeedStatus(input: { feedId: $id, status: COMPLETED }) { __typename } }',
      { id: Buffer.from('Feed:2').toString('base64') },
      ana,
    );
    expect((await fetchCalendar(icsUrl, { 'if-none-match': etag })).status).toBe(200);
  });

  it('ends when its owner revokes it; nobody else can', async () => {
    const { icsUrl, subscriptionId } = await subscribe();
    const revoke =
      'mutation($id: ID!) { revokeCalendarSubscription(input: { subscriptionId: $id }) { __typename } }';
    const result = async (id: string, token: string): Promise<string> =>
      (await app.gql(revoke, { id }, token)).data.revokeCalendarSubscription.__typename;
    expect(await result(subscriptionId, await app.signedIn('bob'))).toBe('NotFoundError');
    expect(await result('nonsense', ana)).toBe('NotFoundError');
    expect((await fetchCalendar(icsUrl)).status).toBe(200);
    expect(await result(subscriptionId, ana)).toBe('RevokeCalendarSubscriptionPayload');
    expect(await result(subscriptionId, ana)).toBe('NotFoundError');
    expect(await fetchCalendar(icsUrl)).toMatchObject({ status: 404, json: { errorCode: 'E404' } });
  });

  it('refuses unknown tokens, disabled owners, zones that are none and a fifty-first subscription', async () => {
    for (const path of [
      `/calendar/${'A'.repeat(43)}.ics`,
      '/calendar/x.ics',
      '/calendar/.ics',
      `/calendar/${'A'.repeat(43)}`,
    ])
      expect((await app.rest(path)).status).toBe(404);
    expect(await subscribe({ timeZone: 'Mars/Olympus' })).toMatchObject({
      problems: [{ path: ['input', 'timeZone'] }],
    });
    // Intl takes it.
    expect(await subscribe({ timeZone: 'PST' })).toMatchObject({
      problems: [{ path: ['input', 'timeZone'] }],
    });
    const bob = await app.signedIn('bob');
    const { icsUrl } = await subscribe({}, bob);
    for (let n = 1; n < 50; n++) await subscribe({}, bob);
    expect(await subscribe({}, bob)).toMatchObject({ problems: [{ code: 'TOO_MANY' }] });
    await app.load([
      { record: 'user', domain: 'acme', login: 'bob', display_name: 'Bob', disabled: true },
    ]);
    expect((await fetchCalendar(icsUrl)).status).toBe(404);
  });

  it('makes none for a user who is disabled at the same moment', async () => {
    const tess = await app.signedIn('tess');
    const { db } = app.services;
    let making: Promise<any> | undefined;
    await db.transaction(async (_, tx) => {
      await tx.prisma.user.update({ where: { login: 'tess' }, data: { disabledAt: new Date() } });
      making = app.gql(
        'mutation { createCalendarSubscription(input: {}) { __typename } }',
        {},
        tess,
      );
      await untilSomebodyWaits(db);
    });
    expect((await making)?.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
    expect(await db.prisma.calendarSubscription.count({ where: { user: { login: 'tess' } } })).toBe(
      0,
    );
  });

  it.each([
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Apia',
    'Pacific/Auckland',
    'UTC',
  ])('tells the same instants in %s', async (timeZone) => {
    const berlin = events((await fetchCalendar((await subscribe()).icsUrl)).text);
    const { text } = await fetchCalendar((await subscribe({ timeZone })).icsUrl);
    expect(text.includes('BEGIN:VTIMEZONE')).toBe(timeZone !== 'UTC');
    if (timeZone !== 'UTC') expect(text).toContain(`DTSTART;TZID=${timeZone}:`);
    expect(instants(text)).toEqual(berlin.map((event) => event.startDate.toJSDate().toISOString()));
  });
});

it('tells times of other ages in UTC, instead of each change of the clock until then', async () => {
  const far = { domain: 'acme', kind: 'TASK', owner: 'ana', feed_title: 'Far', is_active: true };
  await app.load([
    {
      ...{ ...far, feed_key: 901 },
      ...{ start_date_time: '1950-07-01T10:00:00Z', end_date_time: '9998-07-01T10:00:00Z' },
    },
    {
      ...{ ...far, feed_key: 902 },
      ...{ start_date_time: '2026-11-21T10:00:00Z', end_date_time: '2027-07-01T10:00:00Z' },
    },
  ]);
  const { icsUrl } = await subscribe({ filter: { feedTitle: 'Far' } });
  const { text } = await fetchCalendar(icsUrl);
  // Five years before and after.
  expect(text.match(/BEGIN:(STANDARD|DAYLIGHT)/g)).toHaveLength(21);
  expect(
    text.match(/^DT(START|END).*T100000Z|^DT(START|END);.*/gm)?.map((line) => line.trim()),
  ).toEqual([
    'DTSTART:19500701T100000Z',
    'DTEND:99980701T100000Z',
    'DTSTART;TZID=Europe/Berlin:20261121T110000',
    'DTEND;TZID=Europe/Berlin:20270701T120000',
  ]);
  await app.services.db.rows(
    `UPDATE calendar_subscription SET time_zone = 'PST' WHERE token_hash = $1`,
    [`\\x${createHash('sha256').update(icsUrl.slice(-47, -4)).digest('hex')}`],
  );
  expect((await fetchCalendar(icsUrl)).status).toBe(200);
});

/** Start instants, by the calendar's own VTIMEZONE. */
function instants(text: string): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const zone = calendar.getFirstSubcomponent('vtimezone');
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const start = new ICAL.Event(component).startDate;
    if (zone) start.zone = new ICAL.Timezone(zone);
    return start.toJSDate().toISOString();
  });
}

it.each([
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Europe/Dublin',
])('VTIMEZONE of %s agrees with the zone data in every hour around each change', (zone) => {
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 11, 31)];
  const parsed = new ICAL.Timezone(
    new ICAL.Component(
      ICAL.parse(`BEGIN:VCALENDAR\r\n${vtimezone(zone, from, to)}\r\nEND:VCALENDAR`),
    ).getFirstSubcomponent('vtimezone')!,
  );
  for (let ms = from; ms <= to; ms += 6 * 3_600_000 + 7 * 60_000) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    // A wall time that comes twice is the earlier one for both.
    if (zoned.toPlainDateTime().toZonedDateTime(zone).epochMilliseconds !== ms) continue;
    const time = new ICAL.Time(
      {
        year: zoned.year,
        month: zoned.month,
        day: zoned.day,
        hour: zoned.hour,
        minute: zoned.minute,
        second: 0,
        isDate: false,
      },
      parsed,
    );
    expect(time.toUnixTime() * 1000, zoned.toString()).toBe(ms);
  }
});
