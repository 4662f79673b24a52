import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { createCallLimits } from '../../src/auth/call-limits.ts';
import { createKeyCheckThrottle } from '../../src/auth/key-check-throttle.ts';
import { createSignInThrottle } from '../../src/auth/sign-in-throttle.ts';
import { forgetExpired } from '../../src/core/context/forget-expired.ts';
import { startTracker, TASKS, type Tracker } from '../support/tracker.ts';
import { untilSomebodyWaits } from '../support/until-somebody-waits.ts';

let app: Tracker;
let ana: string;
beforeAll(async () => {
  app = await startTracker({ env: { RATE_LIMIT: '8' } });
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const limits = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) =>
    headers.get(name),
  );

it('F254 a key has so many calls in 10 seconds: told before, 429 with Retry-After then, as a problem', async () => {
  const answers = [];
  for (let n = 0; n < 10; n++) answers.push(await app.post(TASKS, { name: 'x' }));
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(8).fill(201), 429, 429]);
  expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual([
    '7',
    '6',
    '5',
    '4',
    '3',
    '2',
    '1',
    '0',
    '0',
    '0',
  ]);
  const refused = answers[9]!;
  const [limit, remaining, reset, retry] = limits(refused.headers);
  expect([limit, remaining, retry]).toEqual(['8', '0', reset]);
  expect(Number(retry)).toBeGreaterThan(0);
  expect(Number(retry)).toBeLessThanOrEqual(10);
  expect(refused.json).toMatchObject({
    type: 'urn:trivium:rate-limited',
    title: 'Too Many Requests',
    status: 429,
    errors: [],
    requestId: refused.headers.get('x-request-id'),
  });
  expect(await app.services.db.prisma.externalTask.count()).toBe(8);
});

it('F254 another key is not held back; who has no valid key or session is not counted', async () => {
  const foe = await app.post(TASKS, { name: 'x' }, { 'API-Key': app.foeKey, customerId: 'foe' });
  expect([foe.status, foe.headers.get('ratelimit-remaining')]).toEqual([201, '7']);
  const nobody = await app.rest('/task/v1/feeds/list');
  expect([nobody.status, ...limits(nobody.headers)]).toEqual([401, null, null, null, null]);
});

it('sign-ins with a password count for their address, those that succeed, too', async () => {
  await app.load([{ record: 'user', domain: 'acme', login: 'gate', password: 'secret of gate' }]);
  const credentials = { login: 'gate', password: 'secret of gate' };
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  };
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }';
  const [rest, graphql] = await Promise.all([
    Promise.all(Array.from({ length: 10 }, () => app.rest('/session', undefined, init))),
    Promise.all(Array.from({ length: 10 }, () => app.gql(document, { input: credentials }))),
  ]);
  const late = rest.filter(({ status }) => status !== 200);
  const refused = graphql.filter(({ errors }) => errors !== undefined);
  expect(late.length + refused.length).toBe(12);
  for (const { status, headers, json } of late) {
    expect([status, json['errorCode']]).toEqual([429, 'E902']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  for (const { errors } of refused)
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  const of = { user: { login: 'gate' } };
  expect(await app.services.db.prisma.session.count({ where: of })).toBe(8);
});

it('F254 each mutation of a document is a call', async () => {
  const token = await app.signedIn('ana');
  const ends = Array.from(
    { length: 30 },
    (_, n) => `n${n}: endSession(input: { sessionId: $id }) { __typename }`,
  );
  const document = `mutation ($id: ID!) { ${ends.join(' ')} }`;
  const id = Buffer.from('Session:00000000-0000-4000-8000-000000000000').toString('base64');
  const codes = [];
  for (let n = 0; n < 3; n++) {
    const { errors } = await app.gql(document, { id }, token);
    codes.push(errors?.map(({ extensions }) => extensions['code']));
  }
  expect(codes).toEqual([undefined, undefined, ['RATE_LIMITED']]);
});

it('F254 a session, which may call ten times as often, is counted over both faces; the refusal has the shape of each', async () => {
  for (let n = 0; n < 40; n++) {
    expect((await app.rest('/task/v1/feeds/list', ana)).status).toBe(200);
    expect((await app.gql('{ viewer { login } }', {}, ana)).data.viewer.login).toBe('ana');
  }
  const rest = await app.rest('/task/v1/feeds/list', ana);
  expect([rest.status, rest.headers.get('x-error-code'), rest.json]).toMatchObject([
    429,
    'E902',
    { status: 'ER', errorCode: 'E902' },
  ]);
  const graphql = await app.gql('{ viewer { login } }', {}, ana);
  expect([graphql.status, graphql.errors]).toMatchObject([
    429,
    [{ extensions: { code: 'RATE_LIMITED', legacyCode: 'E902' } }],
  ]);
  expect((await app.rest('/task/v1/feeds/list', await app.signedIn('ana'))).status).toBe(200);
});

it('F254 replicas on one database server share the limit of a key, of sign-in failures and of key checks', async () => {
  const { db } = app.services;
  const customer = { customerId: 'shop', domainId: 1, keyId: 'shared' };
  const [one, two] = [createCallLimits(db, 3), createCallLimits(db, 3)];
  await one.take({ viewer: null, customer });
  await two.take({ viewer: null, customer });
  const third = await one.take({ viewer: null, customer });
  expect(third['ratelimit-remaining']).toBe(db.embedded ? '1' : '0');
  if (!db.embedded)
    await expect(two.take({ viewer: null, customer })).rejects.toMatchObject({ code: 'E902' });

  const [left, right] = [createSignInThrottle(db, Date.now), createSignInThrottle(db, Date.now)];
  const from = (address: string) => ({ login: 'ana', address, token: undefined });
  const fail = async (): Promise<undefined> => undefined;
  for (let n = 0; n < 10; n++) await left.attempt(from('192.0.2.1'), fail);
  await expect(left.attempt(from('192.0.2.1'), fail)).rejects.toMatchObject({ code: 'E902' });
  if (!db.embedded)
    await expect(right.attempt(from('192.0.2.1'), fail)).rejects.toMatchObject({ code: 'E902' });
  expect(await right.attempt(from('192.0.2.2'), fail)).toBeUndefined();

  const [first, second] = [createKeyCheckThrottle(db), createKeyCheckThrottle(db)];
  for (let n = 0; n < 10; n++) await first.take(7, 'w');
  await expect(first.take(7, 'w')).rejects.toMatchObject({ code: 'E902' });
  if (!db.embedded) await expect(second.take(7, 'w')).rejects.toMatchObject({ code: 'E902' });
  await second.take(7, 'v');
  await second.take(8, 'w');
});

it.skipIf(inject('template').kind === 'embedded')(
  'F254 a gateway whose clock is ahead neither makes the 10 seconds of a key longer nor ends them for others',
  async () => {
    const key = { 'API-Key': app.foeKey, customerId: 'foe' };
    const call = async () => (await app.post(TASKS, { name: 'x' }, key)).headers;
    await app.services.db.prisma.rateLimit.deleteMany();
    const now = Date.now.bind(Date);
    const atMinute = async <T>(minutes: number, work: () => Promise<T>): Promise<T> => {
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + minutes * 60_000);
      return work().finally(() => clock.mockRestore());
    };
    expect((await atMinute(10, call)).get('ratelimit-remaining')).toBe('7');
    const second = await call();
    expect(second.get('ratelimit-remaining')).toBe('6');
    expect(Number(second.get('ratelimit-reset'))).toBeLessThanOrEqual(10);
    await atMinute(20, () => forgetExpired(app.services));
    expect((await atMinute(20, call)).get('ratelimit-remaining')).toBe('5');
  },
);

it.skipIf(inject('template').kind === 'embedded')(
  'F254 while the calls of a key wait to be counted, they take no connections of others',
  async () => {
    const { db } = app.services;
    const key = { 'API-Key': app.foeKey, customerId: 'foe' };
    const call = () => app.post(TASKS, { name: 'x' }, key);
    const token = await app.signedIn('ana');
    await db.prisma.rateLimit.deleteMany();
    await call();
    const client = await db.pool.connect();
    const calls = [];
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM rate_limit FOR UPDATE');
      calls.push(...Array.from({ length: 30 }, call));
      await untilSomebodyWaits(db);
      expect((await app.rest('/task/v1/feeds/list', token)).status).toBe(200);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(23);
  },
);

it('F254 counters whose time is over are deleted', async () => {
  await app.services.db.rows(`INSERT INTO rate_limit VALUES ('old', 1, 1), ('new', 1, $1)`, [
    Date.now() + 60_000,
  ]);
  await forgetExpired(app.services);
  expect(
    await app.services.db.prisma.rateLimit.count({ where: { key: { in: ['old', 'new'] } } }),
  ).toBe(1);
});

it('RATE_LIMIT=0 means no limit', async () => {
  expect(
    await createCallLimits(app.services.db, 0).take({
      viewer: null,
      customer: { customerId: 'shop', domainId: 1, keyId: 'k' },
    }),
  ).toEqual({});
});
