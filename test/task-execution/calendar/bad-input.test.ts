import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { january, keysOf, MONTH } from './store.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(january);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

type Pairs = [string, string][];
const good: Pairs = [
  ['source_id', 'CALENDAR'],
  ['from_date', '20270101'],
  ['to_date', '20270131'],
];
const form = (pairs: Pairs): string =>
  pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
/** The same request through every face of REST. */
const faces: Record<string, (pairs: Pairs) => Promise<RestAnswer>> = {
  GET: (pairs) => app.rest(`/task/v1/calendar?${form(pairs)}`, ana),
  'legacy query': (pairs) =>
    app.rest(`/service/rtm/getCalendarData?${form(pairs)}`, ana, { method: 'POST' }),
  'legacy form': (pairs) =>
    app.rest('/service/rtm/getCalendarData', ana, {
      method: 'POST',
      body: form(pairs),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  'legacy JSON': (pairs) =>
    app.rest('/service/rtm/getCalendarData', ana, {
      method: 'POST',
      body: JSON.stringify(Object.fromEntries([...pairs].reverse())),
      headers: { 'content-type': 'application/json' },
    }),
};
const without = (name: string): Pairs => good.filter(([other]) => other !== name);

describe.each(Object.keys(faces))('%s', (face) => {
  const send = faces[face]!;

  const required: [row: string, name: string, code: string, bad: string[]][] = [
    [
      'F053 F054',
      'source_id',
      'E140',
      ['', ' ', 'FOO', 'calendar', 'CALENDAR,STORE_PROJECTS', '\0', 'x'.repeat(5000)],
    ],
    [
      'F055',
      'from_date',
      'E142',
      ['', ' ', '2024-01-01', '2027', '20240230', '00000000', '1e7', '\0', '0'.repeat(5000)],
    ],
    [
      'F056',
      'to_date',
      'E143',
      ['', ' ', '2028-01-31', '2028', '20270230', '99999999', '20270131x', '\0', '9'.repeat(5000)],
    ],
  ];
  it.each(required)(
    '%s refuses %s that is absent, empty or malformed with %s',
    async (_, name, code, bad) => {
      expect(await send(without(name))).toMatchObject({
        status: 400,
        json: { status: 'ER', errorCode: code },
      });
      for (const value of bad)
        expect(await send([...without(name), [name, value]]), JSON.stringify(value)).toMatchObject({
          status: 400,
          json: { status: 'ER', errorCode: code },
        });
    },
  );

  it('F057 D-21 compares the bounds as text, before it looks whether they are days', async () => {
    for (const [from, to] of [
      ['20270131', '20270101'],
      ['20240230', '20240101'],
      ['abc', '20270131'],
      ['20270101', '1'],
    ]) {
      expect(await send([good[0]!, ['from_date', from!], ['to_date', to!]])).toMatchObject({
        status: 400,
        json: { errorCode: 'E147' },
      });
    }
    expect(
      await send([good[0]!, ['from_date', '20240101'], ['to_date', '20240230']]),
    ).toMatchObject({ json: { errorCode: 'E143' } });
    expect(
      await send([good[0]!, ['from_date', '20270104'], ['to_date', '20270104']]),
    ).toMatchObject({ json: { status: 'OK' } });
  });

  it('D-03 answers the first of several faults in the order E140, E142, E143, E147', async () => {
    expect(await send([])).toMatchObject({ json: { errorCode: 'E140' } });
    expect(
      await send([
        ['source_id', 'X'],
        ['from_date', '20270131'],
        ['to_date', '20270101'],
      ]),
    ).toMatchObject({ json: { errorCode: 'E140' } });
    expect(await send([good[0]!])).toMatchObject({ json: { errorCode: 'E142' } });
    expect(await send([good[0]!, good[1]!])).toMatchObject({ json: { errorCode: 'E143' } });
    expect(await send([good[0]!, ['to_date', 'x']])).toMatchObject({ json: { errorCode: 'E142' } });
    // D-04: a bound that is no day counts as missing, and E142 comes before E143.
    for (const to of [[], [['to_date', '']]] as Pairs[])
      expect(await send([good[0]!, ['from_date', '2027-01-01'], ...to])).toMatchObject({
        json: { errorCode: 'E142' },
      });
  });

  it.each(good)('takes the first of a repeated %s and names it', async (name, value) => {
    const answer = await send([[name, value], ...without(name), [name, 'FOO']]);
    expect(answer).toMatchObject({ status: 200, json: { status: 'OK' } });
    if (face !== 'legacy JSON') expect(answer.headers.get('x-ignored-parameters')).toBe(name);
  });

  const monthOf = (source: string): Pairs => [['source_id', source], ...good.slice(1)];
  const unfiltered = new Map<string, Promise<unknown[]>>();
  /** What a source answers without any parameter that is optional; asked for once. */
  const allOf = (source: string): Promise<unknown[]> => {
    const known = unfiltered.get(source) ?? send(monthOf(source)).then(({ json }) => keysOf(json));
    unfiltered.set(source, known);
    return known;
  };

  // What a value that can't be used does: 'default' leaves the result as it is without the parameter, 'nothing' matches nothing, 'less' leaves out.
  const optional: [name: string, malformed: string, effect: 'default' | 'nothing' | 'less'][] = [
    ['cal_layout', 'X', 'default'],
    ['return_type', '?', 'default'],
    ['cut_off_time', '-1', 'default'],
    ['cut_off_time', '1e99', 'default'],
    ['cut_off_time', '9'.repeat(20), 'default'],
    ['home_dept_id', 'x', 'less'],
    ['view_type', 'TV', 'default'],
    ['message_type', 'none', 'nothing'],
    ['message_type', '\0', 'nothing'],
    ['sort_by', 'feed_key;--', 'default'],
    ['sort_order', 'Z', 'default'],
    ['week_dates', '2027-01-01', 'nothing'],
    ['week_dates', '20270230', 'nothing'],
    ['status', 'X', 'nothing'],
    ['status', ',', 'nothing'],
    ['feed_type_id', "'", 'nothing'],
    ['priority', 'x', 'nothing'],
    ['priority', '99999999999', 'nothing'],
    ['local_projects', 'X', 'default'],
    ['active_projects', 'X', 'default'],
    ['cal_filter_exc_level', '\ud800', 'nothing'],
    ['cal_filter_exc_level', '%', 'nothing'],
    ['cal_filter_unit', '1.5', 'nothing'],
    ['cal_filter_org_level', '\0', 'nothing'],
    ['feed_title', '\0', 'nothing'],
    ['feed_title', '%_\\', 'nothing'],
    ['favorite', 'yes', 'default'],
    ['tags', '\0', 'nothing'],
    ['tags', 'x', 'nothing'],
    ['filter_id', '\0', 'default'],
    ['filter_id', '-1', 'default'],
    ['p_requestor_level', '\0', 'nothing'],
    ['p_requestor_level', 'nil', 'nothing'],
    ...[1, 2, 3].flatMap((n): [string, string, 'default'][] => [
      [`p_sort_column_${n}`, 'x', 'default'],
      [`p_sort_column_order_${n}`, 'x', 'default'],
    ]),
  ];
  it.each([...new Set(optional.map(([name]) => name))])(
    '%s: empty is the default; malformed never fails and never widens',
    async (name) => {
      for (const source of [
        'CALENDAR',
        'STORE_PROJECTS',
        'STORE_SUGGESTED_DATE_PROJECTS',
        'STORE_WALK_CAL',
      ]) {
        const base = monthOf(source);
        const all = await allOf(source);
        expect(all.length).toBeGreaterThan(0);
        expect(keysOf((await send([...base, [name, '']])).json)).toEqual(all);
        for (const [, malformed, effect] of optional.filter(([other]) => other === name)) {
          if (malformed === '\ud800' && face !== 'legacy JSON') continue;
          const answer = await send([...base, [name, malformed]]);
          expect(answer.status, malformed).toBe(200);
          const got = keysOf(answer.json);
          if (effect === 'default') expect(got).toEqual(all);
          if (effect === 'nothing')
            expect(got, JSON.stringify([name, malformed, source])).toEqual([]);
          expect(all).toEqual(expect.arrayContaining(got));
        }
      }
    },
  );

  it('huge values of every optional parameter never fail and never widen', async () => {
    const size = face.endsWith('form') || face.endsWith('JSON') ? 300_000 : 2_000;
    const base = monthOf('STORE_PROJECTS');
    const all = await allOf('STORE_PROJECTS');
    for (const name of new Set(optional.map(([other]) => other))) {
      for (const huge of ['9'.repeat(size), 'a,'.repeat(size / 2), '20270108,'.repeat(size / 9)]) {
        const answer = await send([...base, [name, huge]]);
        expect(answer.status, name).toBe(200);
        expect(all).toEqual(expect.arrayContaining(keysOf(answer.json)));
      }
    }
  });
});

it('names every fault of a request at once in strict handling', async () => {
  const answer = await app.rest(
    `/task/v1/calendar?source_id=CALENDAR&${MONTH}&status=X&cal_layout=Q&colour=red&user_id=3`,
    ana,
    { headers: { prefer: 'handling=strict' } },
  );
  expect(answer).toMatchObject({
    status: 400,
    json: { errorCode: 'E900', response: expect.stringMatching(/status.*colour|colour.*status/) },
  });
});

it('F051 D-82 legacy: the body wins over the query; bodies that are none are refused', async () => {
  const post = (body: string, type: string, query = ''): Promise<RestAnswer> =>
    app.rest(`/service/rtm/getCalendarData?${query}`, ana, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
  expect(
    keysOf(
      (
        await post(
          'source_id=STORE_WALK_CAL',
          'application/x-www-form-urlencoded',
          `source_id=CALENDAR&${MONTH}`,
        )
      ).json,
    ),
  ).toEqual([41, 40]);
  expect(
    keysOf(
      (
        await post(
          '{"source_id":"CALENDAR","from_date":20270101,"to_date":20270131,"priority":[1,"2"],"favorite":1,"tags":null}',
          'application/json',
        )
      ).json,
    ),
  ).toEqual([2]);
  for (const priority of ['[]', '[""]', '["x"]']) {
    const { json, headers } = await post(
      `{"source_id":"CALENDAR","from_date":20270101,"to_date":20270131,"priority":${priority}}`,
      'application/json',
    );
    expect([json['error_code'], headers.get('x-ignored-parameters')]).toEqual(['E404', 'priority']);
  }
  expect(await post('[]', 'application/json')).toMatchObject({
    status: 400,
    json: { errorCode: 'E900' },
  });
  expect(await post('{', 'application/json')).toMatchObject({
    status: 400,
    json: { errorCode: 'E900' },
  });
  expect(await post('x', 'text/xml')).toMatchObject({ status: 415, json: { errorCode: 'E903' } });
  expect(
    (await post('{"source_id":"CALENDAR","from_date":{},"to_date":"20270131"}', 'application/json'))
      .json,
  ).toMatchObject({ errorCode: 'E147' });
});

it('F051 D-82 legacy: says on every reply that it is deprecated, until when, and what follows it', async () => {
  const gateway = await startApp({ env: { BASE_PATH: '/gateway' } });
  for (const answer of [
    await gateway.rest('/service/rtm/getCalendarData', undefined, { method: 'POST' }),
  ]) {
    expect(answer).toMatchObject({ status: 401, json: { errorCode: 'E202' } });
    const [, since] = /^@(\d+)$/.exec(answer.headers.get('deprecation')!)!;
    expect(Date.parse(answer.headers.get('sunset')!) - Number(since) * 1000).toBeGreaterThanOrEqual(
      365 * 86_400_000,
    );
    expect(answer.headers.get('link')).toBe('</gateway/task/v1/calendar>; rel="successor-version"');
  }
  await gateway.close();
  const answer = await app.rest(`/service/rtm/getCalendarData?source_id=CALENDAR&${MONTH}`, ana, {
    method: 'POST',
  });
  expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
  expect(answer.text).toBe(
    (await app.rest(`/task/v1/calendar?source_id=CALENDAR&${MONTH}`, ana)).text,
  );
  expect(
    (await app.rest(`/task/v1/calendar?source_id=CALENDAR&${MONTH}`, ana)).headers.get(
      'deprecation',
    ),
  ).toBeNull();
});
