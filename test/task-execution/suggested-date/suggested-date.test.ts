import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOON, startApp, type RestAnswer, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
const done = { status: 'OK', response: 'Suggested start and end dates updated successfully' };

beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, { ...feed(900), domain: 'rival', owner: 'eve' }]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());
beforeEach(() =>
  app.load([
    feed(1, { kind: 'PROJECT', sugg_start_date: '20261201', sugg_end_date: '20261210' }),
    feed(2, { deleted: true }),
    feed(3, { owner: 'bob' }),
    feed(4, { is_confidential: true, dept: 'Office' }),
  ]),
);

const form = (body: string, path = '1', headers: object = {}): Promise<RestAnswer> =>
  app.rest(`/task/v1/actions/${path}/suggested-date`, ana, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const json = (body: unknown, path = '1'): Promise<RestAnswer> =>
  app.rest(`/task/v1/actions/${path}/suggested-date`, ana, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
async function stored(): Promise<{
  start: string | null;
  end: string | null;
  version: number;
  updated: number;
}> {
  const { data } = await app.gql(
    '{ feed(feedKey: 1) { suggestedStartDate suggestedEndDate version lastUpdatedTime } }',
    {},
    ana,
  );
  return {
    start: data.feed.suggestedStartDate,
    end: data.feed.suggestedEndDate,
    version: data.feed.version,
    updated: data.feed.lastUpdatedTime,
  };
}

describe('POST /task/v1/actions/{feed-key}/suggested-date', () => {
  it('F174 F176 takes a form, answers the fixed text, and counts the version up', async () => {
    const before = await stored();
    app.setTime(NOON + 3_600_000);
    const answer = await form('sugg_start_date_val=20270104&sugg_end_date_val=20270108');
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.json).toEqual(done);
    expect(await stored()).toEqual({
      start: '2027-01-04',
      end: '2027-01-08',
      version: before.version + 1,
      updated: NOON + 3_600_000,
    });
  });

  it('F174 takes JSON as well', async () => {
    expect(
      (await json({ sugg_start_date_val: '20270104', sugg_end_date_val: '20270104' })).json,
    ).toEqual(done);
    expect(await stored()).toMatchObject({ start: '2027-01-04', end: '2027-01-04' });
    expect((await json({ sugg_start_date_val: null })).json).toEqual(done);
    expect(await stored()).toMatchObject({ start: null, end: '2027-01-04' });
  });

  it.each([
    ['absent: unchanged', 'sugg_end_date_val=20261220', '2026-12-01', '2026-12-20'],
    ['empty: cleared', 'sugg_start_date_val=&sugg_end_date_val=20261220', null, '2026-12-20'],
    ['both empty', 'sugg_start_date_val=&sugg_end_date_val=', null, null],
  ])('F175 %s', async (_, body, start, end) => {
    expect((await form(body)).json).toEqual(done);
    expect(await stored()).toMatchObject({ start, end });
  });

  it('F175 writes nothing when neither date is sent or nothing would change', async () => {
    const before = await stored();
    for (const body of [
      '',
      'sugg_start_date_val=20261201',
      'other=1',
      'sugg_start_date_val=20261201&sugg_end_date_val=20261210',
    ])
      expect((await form(body)).json).toEqual(done);
    expect((await json({})).json).toEqual(done);
    expect(
      (
        await app.rest('/task/v1/actions/1/suggested-date?sugg_start_date_val=20300101', ana, {
          method: 'POST',
        })
      ).headers.get('x-ignored-parameters'),
    ).toBe('sugg_start_date_val');
    expect(await stored()).toEqual(before);
  });

  it.each([
    'sugg_start_date_val=2026-12-01',
    'sugg_start_date_val=20261301',
    'sugg_start_date_val=20260230',
    'sugg_start_date_val=%2020261201',
    'sugg_start_date_val=abc',
    'sugg_end_date_val=0',
    'sugg_end_date_val=%00',
    'sugg_start_date_val=20261202&sugg_end_date_val=x',
    `sugg_start_date_val=${'9'.repeat(100_000)}`,
    'sugg_start_date_val=20261211',
    'sugg_end_date_val=20261130',
    'sugg_start_date_val=20270102&sugg_end_date_val=20270101',
    'sugg_start_date_val=20261202&sugg_start_date_val=20261203',
  ])('F175 D-52 refuses %.60s with E900 and writes nothing', async (body) => {
    const before = await stored();
    expect(await form(body)).toMatchObject({
      status: 400,
      json: { status: 'ER', errorCode: 'E900' },
    });
    expect(await stored()).toEqual(before);
  });

  it('D-52 names the field at fault as the document does', async () => {
    expect((await form('sugg_end_date_val=20261130')).json['response']).toMatch(
      /^sugg_end_date_val: /,
    );
    expect((await form('sugg_start_date_val=20261211')).json['response']).toMatch(
      /^sugg_start_date_val: /,
    );
  });

  it.each([
    ['[]', 'E900', 400],
    ['"x"', 'E900', 400],
    ['{', 'E900', 400],
    ['{"sugg_start_date_val":20270101}', 'E900', 400],
    ['{"sugg_start_date_val":{}}', 'E900', 400],
    ['{"sugg_start_date_val":["20270101"]}', 'E900', 400],
  ])('F175 refuses the JSON body %s', async (body, code, status) => {
    const before = await stored();
    expect(await json(body)).toMatchObject({ status, json: { errorCode: code } });
    expect(await stored()).toEqual(before);
  });

  it('P8 names what strict handling refuses, whatever it is called', async () => {
    const answer = await app.rest('/task/v1/actions/1/suggested-date', ana, {
      method: 'POST',
      body: '{"__proto__":1}',
      headers: { 'content-type': 'application/json', prefer: 'handling=strict' },
    });
    expect(answer.json).toMatchObject({
      errorCode: 'E900',
      response: '__proto__: is not a parameter of this operation',
    });
  });

  it('refuses other media types and large bodies', async () => {
    expect(await form('<x/>', '1', { 'content-type': 'text/xml' })).toMatchObject({
      status: 415,
      json: { errorCode: 'E903' },
    });
    expect(await form(`sugg_start_date_val=${'9'.repeat(1_100_000)}`)).toMatchObject({
      status: 413,
      json: { errorCode: 'E903' },
    });
  });

  it.each(['0', '-1', 'abc', '1.5', '1.0', '%201', '1e3', '%20', '99999999999999999999', '0x1'])(
    'F178 refuses the feed key %s with E900',
    async (key) => {
      expect(await form('sugg_start_date_val=20270101', key)).toMatchObject({
        status: 400,
        json: { errorCode: 'E900' },
      });
    },
  );

  it.each([
    ['unknown', '424242'],
    ['unknown, as no key is beyond 2^53', '9007199254740993'],
    ['unknown, with the last key of an int64', '9223372036854775807'],
    ['deleted', '2'],
    ["somebody else's", '3'],
    ['confidential of another department', '4'],
    ['of another domain', '900'],
  ])('D-52 answers 200 E404 for a feed that is %s', async (_, key) => {
    for (const body of ['sugg_start_date_val=20270101', '']) {
      expect(await form(body, key)).toMatchObject({
        status: 200,
        json: { status: 'ER', errorCode: 'E404', response: 'No data found' },
      });
    }
  });

  it('F177 answers 401 without a session, whatever else is wrong', async () => {
    expect(
      await app.rest('/task/v1/actions/x/suggested-date', undefined, { method: 'POST' }),
    ).toMatchObject({ status: 401, json: { errorCode: 'E202' } });
    expect(await app.rest('/task/v1/actions/1/suggested-date', ana)).toMatchObject({ status: 405 });
  });

  it('F177 answers 500 E302 without internals', async () => {
    const broken = await startApp();
    await broken.load([...organisation, feed(1)]);
    const token = await broken.signedIn('ana');
    await broken.services.db.rows('ALTER TABLE feed RENAME COLUMN sugg_start_date TO gone', []);
    const answer = await broken.rest('/task/v1/actions/1/suggested-date', token, {
      method: 'POST',
      body: new URLSearchParams({ sugg_end_date_val: '20270101' }),
    });
    expect(answer).toMatchObject({
      status: 500,
      json: { status: 'ER', errorCode: 'E302', response: 'Unexpected server error' },
    });
    await broken.close();
  });

  it('F005 ignores identity in query, form and JSON; strict handling refuses the unknown', async () => {
    const identity = {
      domain_id: '2',
      user_id: '1',
      unit_id: '1',
      dept_id: '1',
      profile_id: '1',
      time_zone_long: 'UTC',
      lang_code: 'x',
    };
    expect((await json({ ...identity, sugg_start_date_val: '20261205' })).json).toEqual(done);
    expect(
      (
        await form(`${new URLSearchParams(identity).toString()}&sugg_start_date_val=20261206`)
      ).headers
        .get('x-ignored-parameters')
        ?.split(', ')
        .sort(),
    ).toEqual(Object.keys(identity).sort());
    expect(
      await form('sugg_start_date_val=20261207&colour=red', '1', { prefer: 'handling=strict' }),
    ).toMatchObject({ status: 400, json: { errorCode: 'E900' } });
    expect((await stored()).start).toBe('2026-12-06');
  });
});

describe('suggestFeedDates', () => {
  const mutation = `mutation($input: SuggestFeedDatesInput!) { suggestFeedDates(input: $input) { __typename
    ... on SuggestFeedDatesPayload { clientMutationId feed { suggestedStartDate suggestedEndDate version } }
    ... on ValidationError { legacyCode problems { path code } } ... on NotFoundError { entity legacyCode } ... on ConflictError { currentVersion } } }`;
  const idOf = async (key: number): Promise<string> =>
    Buffer.from(`Feed:${key}`).toString('base64');
  const suggest = async (input: object): Promise<any> =>
    (await app.gql(mutation, { input: { feedId: await idOf(1), ...input } }, ana)).data
      ?.suggestFeedDates;

  it('F174 sets, leaves and clears, as REST does', async () => {
    expect(await suggest({ startDate: '2026-12-05', clientMutationId: 'c' })).toMatchObject({
      clientMutationId: 'c',
      feed: { suggestedStartDate: '2026-12-05', suggestedEndDate: '2026-12-10' },
    });
    expect(await suggest({ startDate: null })).toMatchObject({
      feed: { suggestedStartDate: null, suggestedEndDate: '2026-12-10' },
    });
    const { version } = await stored();
    expect(await suggest({})).toMatchObject({ feed: { version } });
  });

  it('F175 refuses a start after the end, and days that are none', async () => {
    expect(await suggest({ startDate: '2027-01-01' })).toEqual({
      __typename: 'ValidationError',
      legacyCode: 'E900',
      problems: [{ path: ['input', 'startDate'], code: 'START_AFTER_END' }],
    });
    expect(await suggest({ endDate: '2026-11-01' })).toMatchObject({
      problems: [{ path: ['input', 'endDate'] }],
    });
    const { errors } = await app.gql(
      mutation,
      { input: { feedId: await idOf(1), startDate: '2026-02-30' } },
      ana,
    );
    expect(errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  });

  it('D-52 finds no feed that may not be seen', async () => {
    for (const key of [2, 3, 4, 900, 424242])
      expect(await suggest({ feedId: await idOf(key), startDate: null })).toEqual({
        __typename: 'NotFoundError',
        entity: 'Feed',
        legacyCode: 'E404',
      });
    expect(await suggest({ feedId: 'nonsense' })).toMatchObject({ __typename: 'NotFoundError' });
  });

  it('lets one of many concurrent writers win when all expect the same version', async () => {
    const { version } = await stored();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        suggest({ startDate: `2026-12-0${i + 2}`, expectedVersion: version }),
      ),
    );
    expect(results.map((result) => result.__typename).sort()).toEqual([
      ...Array<string>(7).fill('ConflictError'),
      'SuggestFeedDatesPayload',
    ]);
    expect(
      results
        .filter((result) => result.currentVersion)
        .every((result) => result.currentVersion === version + 1),
    ).toBe(true);
    expect((await stored()).version).toBe(version + 1);
  });

  it('keeps start and end in order however writers meet', async () => {
    const writes = Array.from({ length: 20 }, (_, i) =>
      i % 2
        ? form(`sugg_start_date_val=202612${String(i + 1).padStart(2, '0')}`)
        : form(`sugg_end_date_val=202612${String(i + 1).padStart(2, '0')}`),
    );
    for (const answer of await Promise.all(writes)) expect([200, 400]).toContain(answer.status);
    const { start, end } = await stored();
    expect(start! <= end!).toBe(true);
  });
});

describe('F178 path parameters', () => {
  it('D-54 answers 404 on further paths until they are specified', async () => {
    expect(await app.rest('/task/v1/actions/1/claim', ana, { method: 'POST' })).toMatchObject({
      status: 404,
      json: { errorCode: 'E404', response: 'Unknown path' },
    });
  });
});
