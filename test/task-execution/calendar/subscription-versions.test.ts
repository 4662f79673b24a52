import { setTimeout as pause } from 'node:timers/promises';
import ICAL from 'ical.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepBodies } from '../../../src/core/context/kept-bodies.ts';
import { NOON, startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

const DAY = 86_400_000;
const mine = { time_zone: 'Europe/Berlin', owner: 'ana' };
const dated = {
  ...mine,
  start_date_time: '2026-11-23 10:00:00',
  end_date_time: '2026-11-24 10:00:00',
};
const world: readonly object[] = [
  ...organisation,
  feed(1, { ...dated, feed_title: 'First' }),
  feed(2, { ...dated, feed_title: 'Second' }),
  feed(3, { ...dated, feed_title: 'Secret', is_confidential: true, dept: 'Logistics' }),
  feed(4, {
    ...mine,
    start_date_time: '2027-11-22 10:00:00',
    end_date_time: '2027-11-22 11:00:00',
    feed_title: 'In a year and a day',
  }),
];
const create = `mutation($input: CreateCalendarSubscriptionInput!) { createCalendarSubscription(input: $input) {
  ... on CreateCalendarSubscriptionPayload { icsUrl } } }`;

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(world);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const subscribe = async (on: TestApp, token: string, filter: object = {}): Promise<string> => {
  const { data } = await on.gql(create, { input: { filter } }, token);
  return data.createCalendarSubscription.icsUrl.slice(on.url.length);
};
/** Otherwise each event looks for its exceptions among all others. */
const NO_EXCEPTIONS = { exceptions: [] };
const titlesOf = ({ text }: RestAnswer): string[] =>
  new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((event) => new ICAL.Event(event, NO_EXCEPTIONS).summary)
    .sort();
const tagOf = ({ headers }: RestAnswer): string => headers.get('etag') ?? '';
const update = (sql: string): Promise<unknown> => app.services.db.rows(sql, []);

describe('the text of a subscription that was kept', () => {
  it('is answered again to a client that has it, and only to it', async () => {
    const path = await subscribe(app, ana);
    const first = await app.rest(path);
    const etag = tagOf(first);
    expect(await app.rest(path)).toMatchObject({ status: 200, text: first.text });
    const again = { headers: { 'if-none-match': etag } };
    expect(await app.rest(path, undefined, again)).toMatchObject({ status: 304, text: '' });
    expect((await app.rest(path, undefined, { method: 'HEAD' })).headers.get('etag')).toBe(etag);
    const other = { headers: { 'if-none-match': 'W/"other"' } };
    expect((await app.rest(path, undefined, other)).status).toBe(200);
  });

  it.each([
    ['a title', `UPDATE feed SET title = 'Renamed' WHERE feed_key = 1`, 'Renamed'],
    ['an end', `UPDATE feed SET end_at = end_at + interval '1 hour' WHERE feed_key = 1`, 'DTEND'],
    ['a status', `UPDATE feed SET status = 'F' WHERE feed_key = 1`, 'CANCELLED'],
    ['a deletion', `UPDATE feed SET deleted_at = now() WHERE feed_key = 2`, ''],
    ['the name', `UPDATE "user" SET display_name = 'Ana B.' WHERE login = 'ana'`, 'Ana B.'],
    [
      'a home department',
      `INSERT INTO user_dept (user_id, dept_id, is_home) SELECT u.id, d.id, true FROM "user" u JOIN dept d ON d.domain_id = u.domain_id
        WHERE u.login = 'ana' AND d.name = 'Logistics' ON CONFLICT (user_id, dept_id) DO UPDATE SET is_home = true`,
      'Busy',
    ],
  ])('is written anew after a change of %s', async (_, sql, shown) => {
    const path = await subscribe(app, ana);
    const before = await app.rest(path);
    await update(sql);
    const after = await app.rest(path, undefined, { headers: { 'if-none-match': tagOf(before) } });
    expect(after.status).toBe(200);
    expect(after.text).not.toBe(before.text);
    expect(after.text).toContain(shown);
  });

  it('is written anew after a mark that its filter asks for', async () => {
    const path = await subscribe(app, ana, { favorite: true });
    expect(titlesOf(await app.rest(path))).toEqual([]);
    await update(
      `INSERT INTO feed_user_state (user_id, feed_key, favorite, updated_at) SELECT id, 1, true, now() FROM "user" WHERE login = 'ana'`,
    );
    expect(titlesOf(await app.rest(path))).toHaveLength(1);
  });

  it('is written anew when a feed becomes overdue by the clock alone, and on another day', async () => {
    const overdue = await subscribe(app, ana, { statuses: ['OVERDUE'], feedTitle: 'Due' });
    const all = await subscribe(app, ana);
    await app.load([
      feed(5, { ...dated, end_date_time: '2026-11-24 12:00:00', feed_title: 'Due' }),
    ]);
    expect(titlesOf(await app.rest(overdue))).toEqual([]);
    expect(titlesOf(await app.rest(all))).not.toContain('In a year and a day');
    app.setTime(Date.UTC(2026, 10, 24, 11, 0, 0, 1));
    expect(titlesOf(await app.rest(overdue))).toEqual(['Due']);
    expect(titlesOf(await app.rest(all))).toContain('In a year and a day');
    app.setTime(NOON + DAY);
    expect(titlesOf(await app.rest(overdue))).toEqual([]);
    app.setTime(NOON);
  });

  it('does not miss a change whose transaction began before others and ended after them', async () => {
    const path = await subscribe(app, ana);
    const { db } = app.services;
    const early = await db.pool.connect();
    await early.query('BEGIN');
    await early.query(`UPDATE feed SET title = 'Early' WHERE feed_key = 1`);
    // The embedded database has one connection: there the early transaction also ends first.
    if (db.embedded) await early.query('COMMIT').then(() => early.release());
    await update(`UPDATE feed SET description = 'Late' WHERE feed_key = 5`);
    const between = await app.rest(path);
    if (!db.embedded) await early.query('COMMIT').then(() => early.release());
    const after = await app.rest(path, undefined, { headers: { 'if-none-match': tagOf(between) } });
    const shown = after.status === 304 ? between : after;
    expect(titlesOf(shown)).toContain('Early');
  });
});

describe('many calls of a subscription', () => {
  it('are refused beyond a tenth of what an API key may call, and unknown addresses beyond all of it', async () => {
    const limited = await startApp({ env: { RATE_LIMIT: '20' } });
    try {
      await limited.load(world);
      const token = await limited.signedIn('ana');
      const [path, other] = [await subscribe(limited, token), await subscribe(limited, token)];
      const answers = await Promise.all([1, 2, 3].map(() => limited.rest(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
      const refused = answers.find(({ status }) => status === 429);
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await limited.rest(other)).status).toBe(200);
      const unknown = await Promise.all(
        Array.from({ length: 20 }, () => limited.rest(`/calendar/${'A'.repeat(43)}.ics`)),
      );
      expect(new Set(unknown.map(({ status }) => status))).toEqual(new Set([404, 429]));
    } finally {
      await limited.close();
    }
  });
});

describe('keepBodies', () => {
  const bytes = (text: string): Buffer => Buffer.from(text);

  it('makes one body for all who ask for the same version, and none for an ETag that is known', async () => {
    const bodies = keepBodies(10);
    let made = 0;
    const make = async (): Promise<Buffer> => {
      made += 1;
      await pause(1);
      return bytes('0123456789');
    };
    const [first, second] = await Promise.all([
      bodies.get('a', '1', make),
      bodies.get('a', '1', make),
    ]);
    expect([made, first.etag]).toEqual([1, second.etag]);
    await bodies.get('b', '1', () => Promise.resolve(bytes('pushes a out')));
    await bodies.get('c', '1', () => Promise.resolve(bytes('and so on')));
    const known = await bodies.get('a', '1', make);
    expect([made, known.etag]).toEqual([1, first.etag]);
    expect((await known.read()).bytes.toString()).toBe('0123456789');
    expect(made).toBe(2);
  });

  it('makes it anew for another version, after the one that is being made, and for who waited for one that failed', async () => {
    const bodies = keepBodies(100);
    const order: string[] = [];
    const made =
      (name: string, fails = false) =>
      async (): Promise<Buffer> => {
        order.push(`${name} begins`);
        await pause(1);
        order.push(`${name} ends`);
        if (fails) throw new Error('nobody waits');
        return bytes(name);
      };
    const failed = bodies.get('a', '1', made('one', true));
    const waited = bodies.get('a', '1', made('two'));
    const newer = bodies.get('a', '2', made('three'));
    await expect(failed).rejects.toThrow('nobody waits');
    expect((await (await waited).read()).bytes.toString()).toBe('two');
    expect((await (await newer).read()).bytes.toString()).toBe('three');
    expect(order.map((step) => step.split(' ')[1])).toEqual(
      order.map((_, n) => (n % 2 ? 'ends' : 'begins')),
    );
  });
});

it('tells of the items beyond the first 5,000 by an entry over their days', async () => {
  const crowded = await startApp();
  const at = (day: number, hour: number): string =>
    `2026-12-${String(day).padStart(2, '0')} ${hour}:00:00`;
  await crowded.load([
    ...organisation,
    ...Array.from({ length: 5_003 }, (_, i) => {
      const day = i < 4_000 ? 1 : i < 5_002 ? 2 : 3;
      return feed(i + 1, { ...mine, start_date_time: at(day, 10), end_date_time: at(day, 11) });
    }),
  ]);
  const token = await crowded.signedIn('ana');
  const { text } = await crowded.rest(await subscribe(crowded, token));
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  expect(events).toHaveLength(5_001);
  const note = events.map((event) => new ICAL.Event(event, NO_EXCEPTIONS)).at(-1);
  expect(note?.summary).toBe('3 more items are not shown');
  expect([note?.startDate.isDate, note?.startDate.toString(), note?.endDate.toString()]).toEqual([
    true,
    '2026-12-02',
    '2027-11-22',
  ]);
  expect(note?.component.getFirstPropertyValue('transp')).toBe('TRANSPARENT');
  await crowded
    .rest(await subscribe(crowded, token, { priorities: [9] }))
    .then((other) => expect(other.text).not.toContain('not shown'));
  await crowded.close();
}, 60_000);
