import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/core/context/config.ts';
import { forgetExpired } from '../../src/core/context/forget-expired.ts';
import { NOON, startApp, type RestAnswer, type TestApp } from '../support/app.ts';
import { subscribeWs, wsClient } from '../support/streams.ts';

const lines: Record<string, unknown>[] = [];
const sink = new Writable({
  write(chunk: Buffer, _, done) {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
    done();
  },
});
const users = ['ana', 'ben', 'cleo', 'dora'].map((login) => ({
  record: 'user',
  domain: 'd',
  login,
  password: `secret of ${login}`,
}));

let behind: TestApp;
let open: TestApp;
beforeAll(async () => {
  const log = pino({ level: 'info', base: null }, sink);
  behind = await startApp({
    env: { TRUSTED_PROXIES: 'loopback, 10.0.0.0/8,2001:db8:1::/48' },
    log,
  });
  open = await startApp({ log });
  for (const app of [behind, open]) await app.load([{ record: 'domain', name: 'd' }, ...users]);
});
afterAll(() => Promise.all([behind, open].map((app) => app.close())));
beforeEach(() => void lines.splice(0));

const signIn = (
  app: TestApp,
  login: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<RestAnswer> =>
  app.rest('/session', undefined, {
    method: 'POST',
    body: JSON.stringify({ login, password }),
    headers: { 'content-type': 'application/json', ...headers },
  });

let strangers = 0;
/** The address that the log notes for a request with these headers. */
async function addressOf(app: TestApp, headers: Record<string, string>): Promise<unknown> {
  const answer = await signIn(app, `nobody${++strangers}`, 'x', headers);
  expect(answer.status).toBe(401);
  return lines.find(({ msg }) => msg === 'sign-in refused')?.['address'];
}

describe('the client behind trusted proxies', () => {
  it.each([
    ['the one that the proxy names', '192.0.2.7', '192.0.2.7'],
    [
      'the first from the right that is no proxy',
      '192.0.2.1, 192.0.2.7, 10.1.2.3,10.0.0.9',
      '192.0.2.7',
    ],
    ['IPv4 that is written as IPv6', '::ffff:192.0.2.7', '192.0.2.7'],
    ['a proxy that is written as IPv6', '192.0.2.7, ::FFFF:10.1.1.1', '192.0.2.7'],
    ['IPv6 in one spelling', '2001:DB8:2:0:0:0:0:1', '2001:db8:2::1'],
    [
      'IPv6 with a port, behind a proxy with one',
      '[2001:db8:2::1]:4711, [2001:db8:1::5]:80',
      '2001:db8:2::1',
    ],
    ['IPv4 with a port', '192.0.2.7:50123', '192.0.2.7'],
    ['garbage', 'unknown', '127.0.0.1'],
    ['garbage before a proxy', "192.0.2.7, ' OR 1=1, 10.0.0.9", '10.0.0.9'],
    ['proxies alone', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['nothing', '', '127.0.0.1'],
    ['commas', ',,,', '127.0.0.1'],
    ['a number too large', '192.0.2.700', '127.0.0.1'],
  ])('X-Forwarded-For names %s', async (_, header, expected) => {
    expect(await addressOf(behind, { 'x-forwarded-for': header })).toBe(expected);
  });

  it.each([
    ['a plain one', 'for=192.0.2.7;proto=https', '192.0.2.7'],
    ['a quoted IPv6 with a port', 'for="[2001:db8:2::1]:4711"', '2001:db8:2::1'],
    ['several hops', 'for=192.0.2.1, For="192.0.2.7:80";by=10.0.0.1, for=10.0.0.1', '192.0.2.7'],
    [
      'a quoted string with commas and quotes',
      'for=192.0.2.7;x="a, for=\\"1.2.3.4\\"", for=10.0.0.1',
      '192.0.2.7',
    ],
    ['an obfuscated one', 'for=_hidden', '127.0.0.1'],
    ['an unknown one before a proxy', 'for=unknown, for=10.0.0.3', '10.0.0.3'],
    ['a string that never ends', 'for="192.0.2.7', '127.0.0.1'],
    ['garbage', '=;,', '127.0.0.1'],
    ['an element without a client', 'proto=https', '127.0.0.1'],
  ])('Forwarded names %s', async (_, header, expected) => {
    expect(await addressOf(behind, { forwarded: header })).toBe(expected);
  });

  it('believes neither header where they name different clients, and both where they name one', async () => {
    const forged = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.99' };
    expect(await addressOf(behind, forged)).toBe('127.0.0.1');
    lines.splice(0);
    expect(await addressOf(behind, { ...forged, forwarded: 'for="192.0.2.7:1"' })).toBe(
      '192.0.2.7',
    );
  });

  it('is the peer where the peer is not trusted, whatever it says; that is logged once', async () => {
    const forged = { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' };
    expect(await addressOf(open, forged)).toBe('127.0.0.1');
    await addressOf(open, forged);
    expect(lines.filter(({ msg }) => String(msg).includes('TRUSTED_PROXIES')).length).toBe(1);
  });
});

describe('the addresses of links', () => {
  const icsUrl = async (app: TestApp, headers: Record<string, string>): Promise<string> => {
    const { data } = await app.gql(
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
      {},
      await app.signedIn('ana'),
      headers,
    );
    return data.createCalendarSubscription.icsUrl;
  };
  const edge = {
    'x-forwarded-for': '192.0.2.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'tasks.example.com:8443',
  };
  it.each([
    ['what the proxy says', edge, 'https://tasks.example.com:8443/'],
    [
      'what the proxy says that the client reached',
      { ...edge, 'x-forwarded-for': '192.0.2.7, 10.0.0.1', 'x-forwarded-proto': 'ftp, https,http' },
      'https://tasks.example.com:8443/',
    ],
    [
      'what Forwarded says',
      {
        forwarded:
          'for=192.0.2.7;proto=https;host="tasks.example.com:8443", for=10.0.0.1;proto=http',
      },
      'https://tasks.example.com:8443/',
    ],
  ])('are %s', async (_, headers, start) => {
    expect(await icsUrl(behind, headers)).toMatch(new RegExp(`^${start}calendar/`));
  });

  it('are never what a stranger, or garbage, says', async () => {
    expect(await icsUrl(open, edge)).toContain(`${open.url}/calendar/`);
    const garbage = { ...edge, 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a b/<x>' };
    expect(await icsUrl(behind, garbage)).toContain(`${behind.url}/calendar/`);
  });

  it('are the same over a WebSocket', async () => {
    const session = { 'x-service-csrf-token-x': await behind.signedIn('ana') };
    const stream = subscribeWs(
      wsClient(behind, session, edge),
      'mutation { createCalendarSubscription(input: {}) { ... on CreateCalendarSubscriptionPayload { icsUrl } } }',
    );
    const results = await stream.until((answers) => answers.length > 0);
    expect(JSON.stringify(results)).toContain('https://tasks.example.com:8443/calendar/');
  });
});

it.each([
  'x',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '::/0',
  '10.0.0',
  'loopback,',
  '1.2.3.4/8/8',
  '::ffff:10.0.0.0/104',
  '010.0.0.1',
  '10.0.0.0/x',
])('refuses TRUSTED_PROXIES=%s at start, by name', (list) => {
  expect(() => readConfig({ TRUSTED_PROXIES: list })).toThrow(ConfigError);
  expect(() => readConfig({ TRUSTED_PROXIES: list })).toThrow(
    /^TRUSTED_PROXIES: expected addresses/,
  );
});

describe('failures of a stranger', () => {
  const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
  /** A hundred wrong passwords; not sent, for each takes the processor a while. */
  const fail = async (
    login: (n: number) => string,
    address: (n: number) => string,
  ): Promise<void> => {
    for (let n = 0; n < 100; n++)
      await behind.services.signInThrottle.attempt(
        { login: login(n), address: address(n), token: undefined },
        () => Promise.resolve(undefined),
      );
  };

  it('lock nobody out who comes from another address through the same proxy', async () => {
    await fail(
      (n) => `nobody-a${n}`,
      () => '198.51.100.1',
    );
    expect((await signIn(behind, 'ana', 'secret of ana', from('198.51.100.1'))).status).toBe(429);
    expect((await signIn(behind, 'ana', 'secret of ana', from('198.51.100.2'))).status).toBe(200);
  });

  it('count for the whole network of an IPv6 address', async () => {
    await fail(
      (n) => `nobody-b${n}`,
      (n) => `2001:db8:77:1::${n + 1}`,
    );
    expect(
      (await signIn(behind, 'ana', 'secret of ana', from('2001:db8:77:1:ffff::1'))).status,
    ).toBe(429);
    expect((await signIn(behind, 'ana', 'secret of ana', from('2001:db8:77:2::1'))).status).toBe(
      200,
    );
  });

  it('for a login, from many addresses, do not lock its owner out where they signed in before', async () => {
    const home = from('203.0.113.5');
    expect((await signIn(behind, 'ben', 'secret of ben', home)).status).toBe(200);
    await fail(
      () => 'ben',
      (n) => `198.51.101.${n + 1}`,
    );
    expect((await signIn(behind, 'ben', 'secret of ben', from('203.0.113.6'))).status).toBe(429);
    expect((await signIn(behind, 'ben', 'secret of ben', home)).status).toBe(200);
    for (let n = 0; n < 10; n++) await signIn(behind, 'ben', 'wrong', home);
    expect(
      (await signIn(behind, 'ben', 'secret of ben', home)).status,
      'with a limit of its own',
    ).toBe(429);
  });

  it('at the address of everybody do not lock out who signed in there', async () => {
    const office = from('203.0.113.50');
    expect((await signIn(behind, 'cleo', 'secret of cleo', office)).status).toBe(200);
    await fail(
      (n) => `nobody-c${n}`,
      () => '203.0.113.50',
    );
    expect((await signIn(behind, 'dora', 'secret of dora', office)).status).toBe(429);
    expect((await signIn(behind, 'cleo', 'secret of cleo', office)).status).toBe(200);
  });

  it('do not lock a device out that had a session of this login, though it ended; another login’s token helps nobody', async () => {
    const cafe = from('203.0.113.60');
    const first = await signIn(behind, 'dora', 'secret of dora', cafe);
    const device = { ...cafe, 'x-service-csrf-token-x': String(first.json['token']) };
    await behind.rest('/session', String(first.json['token']), { method: 'DELETE' });
    for (let n = 0; n < 10; n++) await signIn(behind, 'dora', 'wrong', cafe);
    expect((await signIn(behind, 'dora', 'secret of dora', cafe)).status).toBe(429);
    const foreign = { ...cafe, 'x-service-csrf-token-x': await behind.signedIn('ana') };
    expect((await signIn(behind, 'dora', 'secret of dora', foreign)).status).toBe(429);
    expect((await signIn(behind, 'dora', 'secret of dora', device)).status).toBe(200);
    for (let n = 0; n < 10; n++)
      expect((await signIn(behind, 'dora', 'wrong', device)).status).toBe(401);
    expect(
      (await signIn(behind, 'dora', 'secret of dora', device)).status,
      'with a limit of its own',
    ).toBe(429);
  });

  it('an address is remembered for 90 days, and of each user the latest 20', async () => {
    const { pool } = behind.services.db;
    const places = async (): Promise<number> =>
      Number(
        (
          await pool.query(
            `SELECT FROM sign_in_place p JOIN "user" u ON u.id = p.user_id WHERE u.login = 'ana'`,
          )
        ).rowCount,
      );
    for (let n = 1; n <= 22; n++) {
      behind.setTime(NOON + n);
      await signIn(behind, 'ana', 'secret of ana', from(`203.0.114.${n}`));
    }
    expect(await places()).toBe(20);
    behind.setTime(NOON + 91 * 86_400_000);
    await forgetExpired(behind.services);
    expect(await places()).toBe(0);
    behind.setTime(NOON);
  });
});
