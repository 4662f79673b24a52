import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeWs, wsClient } from '../support/streams.ts';

let app: TestApp;
const HOUR = 3_600_000;
const refused = { status: 'ER', errorCode: 'E202', response: 'Session token missing or invalid' };

beforeAll(async () => {
  app = await startApp({ env: { RATE_LIMIT: '1000' } });
  await app.load([
    ...organisation,
    feed(1),
    { record: 'user', domain: 'acme', login: 'gone', password: 'x', disabled: true },
  ]);
});
afterAll(() => app.close());
beforeEach(() => app.setTime(NOON));

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
const signIn = (login: string, password: string): ReturnType<TestApp['rest']> =>
  app.rest('/session', undefined, json({ login, password }));
const list = (token: string): ReturnType<TestApp['rest']> => app.rest('/task/v1/feeds/list', token);

it('D-70 signs in over REST and GraphQL, keeps only the hash, and signs out at once', async () => {
  const rest = await signIn('Ana', 'secret of ana');
  expect(rest.json).toEqual({
    status: 'OK',
    token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: new Date(NOON + 12 * HOUR).toISOString(),
  });
  expect((await list(rest.json['token'])).status).toBe(200);
  const graphql = await app.gql(
    'mutation { signIn(input: { login: "ana", password: "secret of ana", clientMutationId: "m" }) { token expiresAt clientMutationId viewer { login timeZone feeds { totalCount } } } }',
  );
  expect(graphql.data.signIn).toMatchObject({
    clientMutationId: 'm',
    viewer: { login: 'ana', timeZone: 'Europe/Berlin', feeds: { totalCount: 1 } },
  });
  const stored = await app.services.db.prisma.session.findMany();
  expect(stored.map((session) => Buffer.from(session.tokenHash).toString('hex'))).toContain(
    createHash('sha256').update(rest.json['token']).digest('hex'),
  );
  expect(JSON.stringify(stored)).not.toContain(rest.json['token']);

  expect(
    (await app.rest('/session', rest.json['token'], { method: 'DELETE' })).json['status'],
  ).toBe('OK');
  expect((await list(rest.json['token'])).json).toEqual(refused);
  expect(
    (await app.gql('mutation { signOut { signedOut } }', {}, graphql.data.signIn.token)).data,
  ).toEqual({ signOut: { signedOut: true } });
  expect((await list(graphql.data.signIn.token)).json).toEqual(refused);
  expect((await app.rest('/session', rest.json['token'], { method: 'DELETE' })).json).toEqual(
    refused,
  );
});

it('takes a bearer token on GraphQL only', async () => {
  const token = await app.signedIn('ana');
  const headers = { authorization: `Bearer ${token}` };
  expect((await app.gql('{ viewer { login } }', {}, undefined, headers)).data.viewer.login).toBe(
    'ana',
  );
  expect((await app.rest('/task/v1/feeds/list', undefined, { headers })).json).toEqual(refused);
});

it('answers wrong login, wrong password, no password and a disabled user alike', async () => {
  const answers = await Promise.all([
    signIn('ana', 'wrong'),
    signIn('nobody', 'wrong'),
    signIn('bob', 'x'),
    signIn('gone', 'x'),
    signIn('a\u0000', 'x'),
  ]);
  for (const answer of answers)
    expect([answer.status, answer.json]).toEqual([
      401,
      { status: 'ER', errorCode: 'E202', response: 'Login or password is wrong' },
    ]);
  const graphql = await app.gql(
    'mutation { signIn(input: { login: "ana", password: "wrong" }) { token } }',
  );
  expect([graphql.status, graphql.errors?.[0]?.extensions]).toEqual([
    401,
    { code: 'UNAUTHENTICATED', legacyCode: 'E202' },
  ]);
});

it('a login is the same in any case and in any form of Unicode', async () => {
  await app.load([
    { record: 'user', domain: 'acme', login: 'JOSE\u0301', password: 'secret of jos\u00e9' },
  ]);
  for (const login of ['jos\u00e9', 'JOS\u00c9', 'jose\u0301'])
    expect((await signIn(login, 'secret of jos\u00e9')).status).toBe(200);
  expect(await app.signedIn('JOSE\u0301')).toMatch(/^[\w-]{43}$/);
});

it('F013 ends 12 hours after the last use, and 7 days after the sign-in whatever the use', async () => {
  const unused = await app.signedIn('ana');
  app.setTime(NOON + 12 * HOUR);
  expect((await list(unused)).json).toEqual(refused);

  app.setTime(NOON);
  const used = await app.signedIn('ana');
  for (let hours = 10; hours < 168; hours += 10) {
    app.setTime(NOON + hours * HOUR);
    expect((await list(used)).status, `after ${hours} h`).toBe(200);
    await expect
      .poll(
        async () =>
          (
            await app.services.db.rows('SELECT count(*) FROM session WHERE last_seen_at = $1', [
              new Date(NOON + hours * HOUR).toISOString(),
            ])
          )[0]?.[0],
      )
      .not.toBe('0');
  }
  app.setTime(NOON + 168 * HOUR);
  expect((await list(used)).json).toEqual(refused);
});

it.each([
  ['no body', '', 'login: is required; password: is required'],
  ['no JSON', '{', 'The body is not valid JSON'],
  ['another type', '[]', 'the body must be a JSON object'],
  ['null', 'null', 'the body must be a JSON object'],
  ['missing password', '{"login":"ana"}', 'password: is required'],
  ['an empty password', '{"login":"ana","password":""}', 'password: is required'],
  [
    'a number',
    '{"login":1,"password":null}',
    'login: must be a string; password: must be a string',
  ],
  [
    'a long login',
    `{"login":"${'a'.repeat(201)}","password":"x"}`,
    'login: is longer than 200 characters',
  ],
  ['a deep one', '['.repeat(100_000), 'The body is not valid JSON'],
])('refuses %s with 400 E900', async (_, body, response) => {
  const answer = await app.rest('/session', undefined, json(body));
  expect([answer.status, answer.json]).toEqual([
    400,
    { status: 'ER', errorCode: 'E900', response },
  ]);
});

it('P8 tells what a sign-in and a sign-out ignore; strict handling refuses it, and the session lives on', async () => {
  const strict = { prefer: 'handling=strict' };
  const body = { login: 'ana', password: 'secret of ana', colour: 'red', user_id: 7 };
  const lenient = await app.rest('/session?size=1', undefined, json(body));
  expect([lenient.status, lenient.headers.get('x-ignored-parameters')]).toEqual([
    200,
    'size, colour, user_id',
  ]);
  const token: string = lenient.json['token'];
  const init = json(body);
  const refused = await app.rest('/session', undefined, {
    ...init,
    headers: { ...init.headers, ...strict },
  });
  expect([refused.status, refused.json['response']]).toEqual([
    400,
    'colour: is not a parameter of this operation',
  ]);
  const kept = await app.rest('/session?size=1', token, { method: 'DELETE', headers: strict });
  expect([kept.status, kept.json['errorCode']]).toEqual([400, 'E900']);
  expect((await list(token)).status).toBe(200);
  const ended = await app.rest('/session?size=1', token, { method: 'DELETE' });
  expect([ended.status, ended.headers.get('x-ignored-parameters')]).toEqual([200, 'size']);
});

it('P6 refuses a login that is sent twice', async () => {
  const answer = await app.rest('/session', undefined, {
    method: 'POST',
    body: 'login=ana&login=bob&password=secret+of+ana',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([answer.status, answer.json]).toEqual([
    400,
    { status: 'ER', errorCode: 'E900', response: 'login: is sent more than once' },
  ]);
});

it('refuses other media types and bodies that are too large', async () => {
  expect(
    (
      await app.rest('/session', undefined, {
        method: 'POST',
        body: '<x/>',
        headers: { 'content-type': 'text/xml' },
      })
    ).status,
  ).toBe(415);
  expect(
    (await app.rest('/session', undefined, json('"' + 'x'.repeat(1_100_000) + '"'))).json[
      'errorCode'
    ],
  ).toBe('E903');
});

it('slows guessing: the eleventh failure for a login is 429 with Retry-After, and others are not locked out', async () => {
  await app.load([{ record: 'user', domain: 'acme', login: 'target', password: 'right' }]);
  for (let i = 0; i < 10; i++) expect((await signIn('target', 'wrong')).status).toBe(401);
  const slowed = await signIn('target', 'right');
  expect([slowed.status, slowed.json['errorCode']]).toEqual([429, 'E902']);
  expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn('ana', 'secret of ana')).status).toBe(200);
});

it('guesses that come all at once get no further than guesses in turn', async () => {
  const guess = () =>
    app.rest('/session', undefined, {
      method: 'POST',
      body: JSON.stringify({ login: 'tess', password: 'guess' }),
      headers: { 'content-type': 'application/json' },
    });
  const answers = await Promise.all(Array.from({ length: 40 }, guess));
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(10);
  expect(answers.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);
});

it('F012 a session is answered as what it is now, not as what it was a request ago', async () => {
  const { pool } = app.services.db;
  const token = await app.signedIn('ana');
  const query = '{ viewer { displayName timeZone currentView } }';
  const viewer = async (): Promise<unknown> => (await app.gql(query, {}, token)).data.viewer;
  const hash = createHash('sha256').update(token).digest();
  expect(await viewer()).toEqual({
    displayName: 'Ana',
    timeZone: 'Europe/Berlin',
    currentView: 'MY_VIEW',
  });
  await pool.query(
    `UPDATE "user" SET display_name = 'Anna', time_zone_long = 'Asia/Tokyo' WHERE login = 'ana'`,
  );
  expect(await viewer()).toEqual({
    displayName: 'Anna',
    timeZone: 'Asia/Tokyo',
    currentView: 'MY_VIEW',
  });
  await pool.query(
    `UPDATE "user" SET display_name = 'Ana', time_zone_long = NULL WHERE login = 'ana'`,
  );
  await pool.query(`UPDATE session SET current_view = 'DV' WHERE token_hash = $1`, [hash]);
  expect(await viewer()).toEqual({
    displayName: 'Ana',
    timeZone: 'Europe/Berlin',
    currentView: 'DEPARTMENT_VIEW',
  });
  const granted = async (): Promise<number> =>
    Number((await list(token)).headers.get('ratelimit-remaining'));
  const before = await granted();
  expect(before).toBeGreaterThan(9_000);
  await pool.query(`UPDATE "user" SET lang_code = 'de' WHERE login = 'ana'`);
  // One call, though it was begun twice; more are granted where ten seconds ended in between.
  expect(await granted()).not.toBe(before - 2);

  await pool.query('UPDATE session SET revoked_at = now() WHERE token_hash = $1', [hash]);
  expect((await list(token)).json).toEqual(refused);
  expect((await app.gql(query, {}, token)).errors?.[0]?.extensions).toMatchObject({
    code: 'UNAUTHENTICATED',
  });
});

it('F012 a session that was ended since its last request writes nothing', async () => {
  const { pool } = app.services.db;
  const token = await app.signedIn('ana');
  const pin = `mutation { setFeedState(input: { feedIds: ["${Buffer.from('Feed:1').toString('base64')}"], pinned: true }) { __typename } }`;
  const pinned = async (): Promise<unknown> =>
    (await pool.query('SELECT pinned FROM feed_user_state WHERE feed_key = 1')).rows;
  expect((await list(token)).status).toBe(200);
  const before = await pinned();
  await pool.query('UPDATE session SET revoked_at = now() WHERE token_hash = $1', [
    createHash('sha256').update(token).digest(),
  ]);
  expect((await app.gql(pin, {}, token)).errors?.[0]?.extensions).toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  expect(await pinned()).toEqual(before);
});

/** Sets a note of the calendar, which is a write of the session's own user. */
const note = (day: string): string =>
  `day${day}: setCalendarNote(input: { date: "2026-11-${day}", note: "x" }) { __typename }`;
const notes = async (login: string): Promise<string[]> => {
  const found = await app.services.db.prisma.calendarNote.findMany({
    where: { user: { login } },
    orderBy: { day: 'asc' },
  });
  return found.map(({ day }) => day);
};

it.each([
  ['HTTP', '02', '03'],
  ['WebSocket', '07', '08'],
])(
  'F012 a session that ends writes nothing in the rest of its document, over %s',
  async (kind, before, after) => {
    const token = await app.signedIn('tess');
    const document = `mutation { ${note(before)} signOut { signedOut } ${note(after)} }`;
    let errors: any;
    if (kind === 'HTTP') errors = (await app.gql(document, {}, token)).errors;
    else {
      const client = wsClient(app, { 'X-service-csrf-token-X': token });
      const stream = subscribeWs(client, document, {});
      await stream.closed;
      [{ errors }] = stream.results;
      await client.dispose();
    }
    expect(errors).toMatchObject([
      { path: [`day${after}`], extensions: { code: 'UNAUTHENTICATED', legacyCode: 'E202' } },
    ]);
    expect(await notes('tess')).toContain(`202611${before}`);
    expect(await notes('tess')).not.toContain(`202611${after}`);
  },
);

it('F012 whoever signs in within a document is the user of the rest of it, whatever became of the session before', async () => {
  const token = await app.signedIn('bob');
  const asAna = 'signIn(input: { login: "ana", password: "secret of ana" }) { viewer { login } }';
  const { data, errors } = await app.gql(
    `mutation { ${note('04')} signOut { signedOut } ${asAna} ${note('05')} out: signOut { signedOut } ${note('06')} }`,
    {},
    token,
  );
  expect(data).toBeNull();
  expect(errors).toMatchObject([{ path: ['day06'], extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(await notes('bob')).toEqual(['20261104']);
  expect(await notes('ana')).toEqual(['20261105']);
});
