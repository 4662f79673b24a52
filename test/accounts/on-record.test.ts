import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetExpired } from '../../src/core/context/forget-expired.ts';
import { NOON, startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { CORS_ORIGINS: 'https://shop.example' } });
  await app.load([
    ...organisation,
    {
      record: 'user',
      domain: 'acme',
      login: 'admin',
      password: 'secret of admin',
      permissions: ['DOMAIN_ADMIN'],
    },
  ]);
});
afterAll(() => app.close());

const signIn = (login: string, password: string): ReturnType<TestApp['rest']> =>
  app.rest('/session', undefined, {
    method: 'POST',
    body: JSON.stringify({ login, password }),
    headers: { 'content-type': 'application/json' },
  });
const userId = async (login: string): Promise<number> =>
  (await app.services.db.prisma.user.findUniqueOrThrow({ where: { login } })).id;
/** What was put on record since. */
const recordedBy = async (work: () => Promise<unknown>): Promise<string[]> => {
  const [last] = await app.services.db.rows('SELECT coalesce(max(id), 0) FROM audit_log', []);
  await work();
  const rows = await app.services.db.rows(
    `SELECT actor, action, target FROM audit_log WHERE id > $1 AND action <> 'import' ORDER BY id`,
    [Number(last?.[0])],
  );
  return rows.map((cells) => cells.join(' | '));
};
const disabled = (login: string, is: boolean): object[] => [
  { record: 'user', domain: 'acme', login, disabled: is },
];

describe('the audit log', () => {
  it('has each sign-in and each failure with its address, and nothing that was typed', async () => {
    const ana = await userId('ana');
    const rows = await recordedBy(async () => {
      await signIn('ana', 'secret of ana');
      await signIn('ana', 'wrong-password');
      await signIn('my-password-by-mistake', 'ana');
      await app.gql(
        'mutation { signIn(input: { login: "ana", password: "secret of ana" }) { expiresAt } }',
      );
    });
    const address = String.raw`\S*127\.0\.0\.1`;
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^user:${ana} \\| signIn \\| from ${address}$`)),
      expect.stringMatching(new RegExp(`^unknown \\| signIn \\| user:${ana} from ${address}$`)),
      expect.stringMatching(new RegExp(`^unknown \\| signIn \\| no such login from ${address}$`)),
      expect.stringMatching(/signIn/),
    ]);
  });

  it('has the code that the client got where the database had no room', async () => {
    const { db } = app.services;
    await db.rows(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left on device' USING ERRCODE = '53100'; END $$`,
      [],
    );
    await db.rows(
      'CREATE TRIGGER full_disk BEFORE INSERT ON api_customer FOR EACH ROW EXECUTE FUNCTION full_disk()',
      [],
    );
    const token = await app.signedIn('admin');
    const { errors } = await app.gql(
      'mutation { issueApiKey(input: { customerId: "full" }) { __typename } }',
      {},
      token,
    );
    await db.rows('DROP FUNCTION full_disk() CASCADE', []);
    expect(errors?.[0]?.extensions['code']).toBe('SERVICE_UNAVAILABLE');
    expect(
      await db.rows(
        `SELECT outcome, code FROM audit_log WHERE action = 'issueApiKey' ORDER BY id DESC LIMIT 1`,
        [],
      ),
    ).toEqual([['FAILED', 'SERVICE_UNAVAILABLE']]);
  });

  it('has sessions of the command line, keys that are made and revoked, and changes of the configuration, without values', async () => {
    const [admin, domain] = [
      await userId('admin'),
      (await app.services.db.prisma.domain.findFirstOrThrow({ where: { name: 'acme' } })).id,
    ];
    let token = '';
    expect(await recordedBy(async () => (token = await app.signedIn('admin')))).toEqual([
      `operator | createSession | user:${admin}`,
    ]);
    const rows = await recordedBy(async () => {
      const { data } = await app.gql(
        'mutation { issueApiKey(input: { customerId: "shop" }) { ... on IssueApiKeyPayload { key apiKey { id } } } }',
        {},
        token,
      );
      await app.gql(
        'mutation ($id: ID!) { revokeApiKey(input: { keyId: $id }) { __typename } }',
        { id: data.issueApiKey.apiKey.id },
        token,
      );
      await app.gql(
        'mutation { setConfiguration(input: { key: "feed_refresh_rate", scope: DOMAIN, value: 61000 }) { __typename } }',
        {},
        token,
      );
    });
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^user:${admin} \\| issueApiKey \\| shop ttk_[0-9a-f]{8}$`)),
      expect.stringMatching(
        new RegExp(`^user:${admin} \\| revokeApiKey \\| shop ttk_[0-9a-f]{8}$`),
      ),
      `user:${admin} | setConfiguration | DOMAIN ${domain} feed_refresh_rate`,
    ]);
    const config = { record: 'config', scope: 'SYSTEM', key: 'feed_refresh_rate', value: 62_000 };
    expect(await recordedBy(() => app.load([config]))).toEqual([
      'operator | setConfiguration | SYSTEM 0 feed_refresh_rate',
    ]);
    expect(await recordedBy(() => app.load([config]))).toEqual([]);
  });
});

describe('entries of the audit log', () => {
  it('are forgotten after AUDIT_DAYS', async () => {
    const count = async (): Promise<number> =>
      Number((await app.services.db.rows('SELECT count(*) FROM audit_log', []))[0]?.[0]);
    await signIn('ana', 'wrong-password');
    const kept = await count();
    expect(kept).toBeGreaterThan(0);
    const after = (days: number): Promise<void> =>
      forgetExpired({ ...app.services, clock: () => NOON + days * 86_400_000 });
    await after(399);
    expect(await count()).toBe(kept);
    await after(400);
    expect(await count()).toBe(0);
  });
});

describe('a user who is disabled', () => {
  it('is signed out for good: enabling them again does not bring their sessions back', async () => {
    const bob = await userId('bob');
    const old = await app.signedIn('bob');
    const works = async (token: string): Promise<number> =>
      (await app.rest('/task/v1/feeds/list', token)).status;
    expect(await works(old)).toBe(200);
    expect(await recordedBy(() => app.load(disabled('bob', true)))).toEqual([
      `operator | disableUser | user:${bob}`,
    ]);
    expect(await works(old)).toBe(401);
    expect(await recordedBy(() => app.load(disabled('bob', false)))).toEqual([
      `operator | enableUser | user:${bob}`,
    ]);
    expect(await works(old)).toBe(401);
    expect(await works(await app.signedIn('bob'))).toBe(200);
    expect(await recordedBy(() => app.load(disabled('bob', false)))).toEqual([]);
  });

  it('and so are the calendars that they subscribed to', async () => {
    const { data } = await app.gql(
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
      {},
      await app.signedIn('bob'),
    );
    const { pathname } = new URL(data.createCalendarSubscription.icsUrl);
    const status = async (): Promise<number> => (await app.rest(pathname)).status;
    expect(await status()).toBe(200);
    await app.load(disabled('bob', true));
    expect(await status()).toBe(404);
    await app.load(disabled('bob', false));
    expect(await status()).toBe(404);
  });
});

describe('a new password', () => {
  it('ends the sessions that were there, and goes on record; the same again does nothing', async () => {
    const bob = await userId('bob');
    const old = await app.signedIn('bob');
    const works = async (): Promise<number> => (await app.rest('/task/v1/feeds/list', old)).status;
    const set = (): ReturnType<TestApp['load']> =>
      app.load([{ record: 'user', domain: 'acme', login: 'bob', password: 'secret of bob' }]);
    expect(await works()).toBe(200);
    expect(await recordedBy(set)).toEqual([`operator | setPassword | user:${bob}`]);
    expect(await works()).toBe(401);
    const fresh = (await signIn('bob', 'secret of bob')).json['token'];
    expect(await recordedBy(set)).toEqual([]);
    expect((await app.rest('/task/v1/feeds/list', fresh)).status).toBe(200);
  });
});

describe('answers that depend on who asks', () => {
  it('say so, beside what they say of the origin, and those of GraphQL are never kept', async () => {
    const ana = await app.signedIn('ana');
    const accept = { accept: 'application/json', origin: 'https://shop.example' };
    const query = '/graphql?query=%7Bviewer%7Blogin%7D%7D';
    for (const init of [
      { headers: accept },
      {
        method: 'POST',
        headers: { ...accept, 'content-type': 'application/json' },
        body: '{"query":"{viewer{login}}"}',
      },
    ]) {
      const path = 'method' in init ? '/graphql' : query;
      for (const { status, headers } of [
        await app.rest(path, ana, init),
        await app.rest(path, undefined, init),
      ]) {
        expect([200, 401]).toContain(status);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('vary')?.toLowerCase().split(', ').sort()).toEqual(
          ['origin', 'x-service-csrf-token-x', 'authorization', 'api-key', 'customerid'].sort(),
        );
      }
    }
    const kept = await app.rest('/task/v1/config/list', ana, {
      headers: accept,
    });
    expect(kept.headers.get('cache-control')).toBe('private, no-cache');
    expect(kept.headers.get('vary')).toBe('origin, X-service-csrf-token-X, Authorization');
  });
});
