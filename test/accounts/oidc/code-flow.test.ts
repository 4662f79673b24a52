import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { openTab, type BrowserTab } from '../../support/browser-tab.ts';
import { CLIENT, followRedirects } from '../../support/openid.ts';
import { isEndpoint } from '../../../src/accounts/oidc/create-provider.ts';
import { createLog } from '../../../src/core/log.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

let app: OpenIdApp;
let now: number;
let lines: string[] = [];
const log = createLog('warn', { write: (line) => void lines.push(line) });

beforeAll(async () => {
  app = await startOpenIdApp({ OIDC_PROVISION: 'true', OIDC_NAME: 'Acme <ID>' }, { log });
  app.provider.redirectUris.push(`${app.url}/sign-in/sso/callback`);
  await app.provider.rotate();
});
afterAll(() => app.close());
beforeEach(() => app.setTime((now = Math.max(Date.now(), now + 31_000 || 0))));

/** A browser without a window. */
class Visitor {
  cookie = '';
  attributes = '';

  async get(path: string): Promise<Response> {
    const answer = await fetch(new URL(path, app.url), {
      redirect: 'manual',
      headers: { cookie: this.cookie },
    });
    this.#take(answer);
    return answer;
  }

  async fetchSession(headers: Record<string, string> = {}): Promise<Response> {
    const answer = await fetch(`${app.url}/sign-in`, {
      method: 'POST',
      headers: { cookie: this.cookie, origin: app.url, ...headers },
    });
    this.#take(answer);
    return answer;
  }

  /** Signs in at the provider; returns the address that leads back. */
  async toProvider(page = '/graphql'): Promise<string> {
    const begun = await this.get(`/sign-in/sso?page=${encodeURIComponent(page)}`);
    const url = `${begun.headers.get('location')}&login_hint=1`;
    return followRedirects(url, (one) => one.startsWith(app.url));
  }

  #take({ headers }: Response): void {
    const [line] = headers.getSetCookie();
    if (line === undefined) return;
    this.attributes = line.replace(/^[^;]*; /, '');
    this.cookie = line.includes('Max-Age=0') ? '' : (line.split(';')[0] ?? '');
  }
}

it('leads to the provider and back, and the page fetches the session', async () => {
  const visitor = new Visitor();
  const begun = await visitor.get('/sign-in/sso?page=/docs');
  const url = new URL(begun.headers.get('location') ?? '');
  expect([begun.status, url.origin, Object.fromEntries(url.searchParams)]).toEqual([
    303,
    app.provider.issuer,
    {
      client_id: CLIENT,
      redirect_uri: `${app.url}/sign-in/sso/callback`,
      response_type: 'code',
      scope: 'openid profile email',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    },
  ]);
  expect(visitor.attributes).toBe('HttpOnly; Path=/sign-in; SameSite=Lax; Max-Age=900');
  const back = await followRedirects(`${url}&login_hint=1`, (one) => one.startsWith(app.url));
  const arrived = await visitor.get(back);
  expect([arrived.status, arrived.headers.get('location')]).toEqual([303, '/docs#sign-in']);
  expect(visitor.attributes).toBe('HttpOnly; Path=/sign-in; SameSite=Strict; Max-Age=60');
  const answer = await visitor.fetchSession({ 'sec-fetch-site': 'same-origin' });
  const body = (await answer.json()) as Record<string, string>;
  expect(body).toEqual({
    status: 'OK',
    token: expect.stringMatching(/^[\w-]{43}$/),
    expires_at: expect.any(String),
    login: 'mia@acme.test',
  });
  expect((await app.rest('/task/v1/feeds/list', body['token'])).status).toBe(200);
  expect([visitor.cookie, answer.headers.get('cache-control')]).toEqual(['', 'no-store']);
  const [entry] = await app.services.db.prisma.auditLog.findMany({
    orderBy: { id: 'desc' },
    take: 1,
  });
  expect(entry).toMatchObject({ action: 'signInWithToken', surface: 'REST', outcome: 'DONE' });
});

it('a code works once, in the browser that began', async () => {
  const visitor = new Visitor();
  await visitor.get(await visitor.toProvider());
  const { cookie } = visitor;
  expect((await visitor.fetchSession()).status).toBe(200);
  visitor.cookie = cookie;
  expect((await visitor.fetchSession()).status).toBe(401);
});

it('another browser can not finish what an attacker has begun, nor the attacker what it began', async () => {
  const attacker = new Visitor();
  const back = await attacker.toProvider();
  const victim = new Visitor();
  // Without an attempt of its own, and in the middle of one.
  expect((await victim.get(back)).headers.get('location')).toBe('/#sign-in-failed');
  await victim.get('/sign-in/sso');
  expect((await victim.get(back)).headers.get('location')).toBe('/#sign-in-failed');
  expect((await victim.fetchSession()).status).toBe(401);
  // A code of one attempt with the cookie of another.
  const own = new URL(await victim.toProvider());
  own.searchParams.set('code', new URL(back).searchParams.get('code') ?? '');
  await victim.get(own.href);
  expect((await victim.fetchSession()).status).toBe(401);
});

it('only pages of the gateway fetch the session', async () => {
  const visitor = new Visitor();
  await visitor.get(await visitor.toProvider());
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect((await visitor.fetchSession(headers)).status).toBe(403);
  expect((await visitor.fetchSession()).status).toBe(200);
});

it('leads nowhere else', async () => {
  for (const page of [
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '/graphql/../x',
    '',
    'javascript:alert(1)',
  ]) {
    const visitor = new Visitor();
    const arrived = await visitor.get(await visitor.toProvider(page));
    expect(arrived.headers.get('location')).toBe('/#sign-in');
  }
  const visitor = new Visitor();
  const back = await visitor.toProvider();
  visitor.cookie = visitor.cookie.replace('page=%2Fgraphql', 'page=https%3A%2F%2Fevil.test');
  expect((await visitor.get(back)).headers.get('location')).toBe('/#sign-in');
});

it('an answer in the name of another provider is refused', async () => {
  const visitor = new Visitor();
  const back = new URL(await visitor.toProvider());
  expect(back.searchParams.get('iss')).toBe(app.provider.issuer);
  back.searchParams.set('iss', 'https://evil.test');
  await visitor.get(back.href);
  expect((await visitor.fetchSession()).status).toBe(401);
});

it('a refusal of the provider is told', async () => {
  const visitor = new Visitor();
  const state = new URL(await visitor.toProvider('/docs')).searchParams.get('state') ?? '';
  const arrived = await visitor.get(`/sign-in/sso/callback?error=access_denied&state=${state}`);
  expect([arrived.headers.get('location'), visitor.cookie]).toEqual(['/docs#sign-in-failed', '']);
});

it('broken requests are refused', async () => {
  for (const cookie of [
    '',
    'trivium-sign-in=',
    'trivium-sign-in=a; trivium-sign-in=b',
    'trivium-sign-in=provider=sso&code=x',
    `trivium-sign-in=provider=sso&page=/&redirectUri=x&state=a&nonce=b&verifier=c&code=d`,
    'trivium-sign-in=provider=__proto__&page=/&redirectUri=http://a/&state=a&nonce=b&verifier=c&code=d',
  ]) {
    const visitor = new Visitor();
    visitor.cookie = cookie;
    expect((await visitor.fetchSession()).status).toBe(401);
  }
  expect((await app.rest('/sign-in')).status).toBe(405);
  expect((await app.rest('/sign-in/sso', undefined, { method: 'POST' })).status).toBe(405);
  for (const path of [
    '/sign-in/nobody',
    '/sign-in/',
    '/sign-in/sso/more',
    '/sign-in/sso/callback/',
  ])
    expect((await app.rest(path)).status).toBe(404);
  const long = new Visitor();
  const state = new URL(await long.toProvider('/docs')).searchParams.get('state') ?? '';
  const arrived = await long.get(`/sign-in/sso/callback?code=${'x'.repeat(4_000)}&state=${state}`);
  expect(arrived.headers.get('location')).toBe('/docs#sign-in-failed');
});

it('with TLS, the cookie is of this host alone', async () => {
  const tls = await startOpenIdApp(
    { PUBLIC_URL: 'https://trivium.test/gw', BASE_PATH: '/gw' },
    { provider: app.provider },
  );
  const { headers } = await tls.rest('/sign-in/sso?page=/docs');
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-trivium-sign-in=[^;]+; HttpOnly; Secure; Path=\/; SameSite=Lax; Max-Age=900$/,
    ),
  ]);
  expect(headers.get('location')).toContain(
    `redirect_uri=${encodeURIComponent('https://trivium.test/gw/sign-in/sso/callback')}`,
  );
  await tls.close();
});

it('a provider that is down is told on the page, and with 503 to its script', async () => {
  const visitor = new Visitor();
  const fresh = new Visitor();
  await visitor.get(await visitor.toProvider());
  await app.provider.stop();
  const answer = await visitor.fetchSession();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  app.setTime((now += 2 * 86_400_000));
  const begun = await fresh.get('/sign-in/sso?page=/explain');
  expect([begun.status, begun.headers.get('location')]).toEqual([303, '/explain#sign-in-failed']);
  await app.provider.start();
  now = 0;
});

it.each([
  [400, '{"error":"invalid_grant","error_description":"mia@acme.test"}', 401, 'invalid_grant'],
  [401, '{"error":"invalid_client"}', 401, 'invalid_client'],
  [400, '{"error":"mia@acme.test is unknown"}', 401, 'OAUTH_RESPONSE_BODY_ERROR'],
  [200, '{}', 401, 'OAUTH_INVALID_RESPONSE'],
  [429, '{"error":"slow_down"}', 503, 'slow_down'],
  [429, '<html>', 503, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  [502, '<html>', 503, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
])('the log has the code of an exchange that fails: %i %s', async (given, body, status, error) => {
  const visitor = new Visitor();
  await visitor.get(await visitor.toProvider());
  lines = [];
  app.provider.instead.set('/token', { status: given, body });
  const answer = await visitor.fetchSession();
  app.provider.instead.clear();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([
    status,
    status === 503 ? '5' : null,
  ]);
  const told = lines.map((line) => JSON.parse(line)).filter(({ provider }) => provider);
  expect(told).toEqual([
    {
      ...{ level: 40, time: expect.any(String), provider: 'sso', error },
      msg: 'a sign-in at an OpenID provider was not completed',
    },
  ]);
  expect(lines.join('')).not.toContain('mia@');
});

it.each([
  ['without authorization_endpoint', { authorization_endpoint: undefined }],
  ['without token_endpoint', { token_endpoint: undefined }],
  ['with a page as authorization_endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
  ['with a foreign http token_endpoint', { token_endpoint: 'http://acme.test/token' }],
])('a provider %s is none for the pages, as one that is down', async (_, change) => {
  const visitor = new Visitor();
  await visitor.get(await visitor.toProvider());
  const path = '/.well-known/openid-configuration';
  const document = (await (await fetch(app.provider.issuer + path)).json()) as object;
  const body = JSON.stringify({ ...document, ...change });
  app.provider.instead.set(path, { status: 200, body });
  app.setTime((now += 601_000));
  lines = [];
  const begun = await new Visitor().get('/sign-in/sso?page=/explain');
  expect([begun.status, begun.headers.get('location')]).toEqual([303, '/explain#sign-in-failed']);
  expect(lines.join('')).toContain(`"missing":["${Object.keys(change)[0]}"]`);
  const answer = await visitor.fetchSession();
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  // Its tokens go on.
  const { access_token } = await app.provider.tokens('1');
  expect((await app.call(access_token)).status).toBe(200);
  app.provider.instead.clear();
  app.setTime((now += 601_000));
  expect((await new Visitor().get('/sign-in/sso')).headers.get('location')).toContain('/auth?');
  now = 0;
});

it('only an issuer without TLS may name addresses without it', () => {
  const [safe, open] = ['https://sso.acme.test', 'http://127.0.0.1:8080'];
  expect(isEndpoint(`${safe}/keys?p=1`, safe)).toBe(true);
  expect(isEndpoint(`${safe}/keys`, open)).toBe(true);
  expect(isEndpoint(`${open}/keys`, open)).toBe(true);
  expect(isEndpoint(`${open}/keys`, safe)).toBe(false);
  expect(isEndpoint('http://sso.acme.test/keys', open)).toBe(false);
});

describe('passwords that are switched off', () => {
  let closed: OpenIdApp;
  beforeAll(async () => {
    closed = await startOpenIdApp(
      { PASSWORD_SIGN_IN: 'false', DEMO: 'false' },
      { provider: app.provider },
    );
  });
  afterAll(() => closed.close());

  it('neither sign in nor are they changed or given', async () => {
    const answer = await closed.rest('/session', undefined, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'ana', password: 'secret of ana' }),
    });
    const text = 'Passwords are switched off here: sign in with your provider';
    expect([answer.status, answer.json]).toEqual([
      401,
      { status: 'ER', errorCode: 'E202', response: text },
    ]);
    const signIn = await closed.gql(
      'mutation { signIn(input: { login: "ana", password: "secret of ana" }) { token } }',
    );
    const off = [{ message: text, extensions: { code: 'PASSWORD_SIGN_IN_OFF' } }];
    expect(signIn.errors).toMatchObject(off);
    await closed.load([
      { record: 'user', domain: 'acme', login: 'ana', permissions: ['DOMAIN_ADMIN'] },
    ]);
    const token = await closed.signedIn('ana');
    const change = await closed.gql(
      'mutation { changePassword(input: { oldPassword: "secret of ana", newPassword: "a long and rare one" }) { __typename } }',
      {},
      token,
    );
    expect(change.errors).toMatchObject(off);
    const id = Buffer.from('User:1').toString('base64');
    const given = await closed.gql(
      'mutation ($id: ID!) { setOneTimePassword(input: { userId: $id }) { __typename } }',
      { id },
      token,
    );
    expect(given.errors).toMatchObject(off);
  });

  it('have no form on the pages', async () => {
    for (const path of ['/', '/docs', '/explain']) {
      const { text } = await closed.rest(path);
      expect(text).toContain('href="/sign-in/sso"');
      expect(text).not.toContain('type="password"');
    }
  });
});

const browser = findBrowser();

describe.skipIf(browser === undefined && process.env.REQUIRE_BROWSER === undefined)(
  'in Chromium',
  () => {
    let tab: BrowserTab;
    beforeAll(async () => {
      tab = await openTab(browser ?? 'chromium');
    }, 240_000);
    afterAll(() => tab.close());

    it.each(['/graphql', '/docs', '/explain', '/'])(
      'people sign in on %s',
      async (path) => {
        await tab.open(app.url + path);
        await tab.until(`document.getElementById('session-who')?.textContent === 'Not signed in'`);
        expect(await tab.read(`document.querySelector('[data-provider]').textContent`)).toBe(
          'Sign in with Acme <ID>',
        );
        await tab.read(`document.querySelector('[data-provider]').click()`);
        await tab.until(
          `document.getElementById('session-who')?.textContent === 'Signed in as mia@acme.test'`,
        );
        expect(await tab.read('location.pathname + location.hash')).toBe(path);
        expect(await tab.read('document.cookie')).toBe('');
        const kept = await tab.read<string>(`JSON.stringify({ ...sessionStorage })`);
        expect(kept).toContain('mia@acme.test');
        // A page that is loaded again keeps the session.
        await tab.open(`${app.url}/docs`);
        await tab.until(
          `document.getElementById('session-who')?.textContent === 'Signed in as mia@acme.test'`,
        );
        await tab.read(`document.getElementById('sign-out').click()`);
        await tab.until(`sessionStorage.length === 0`);
      },
      120_000,
    );
  },
);
