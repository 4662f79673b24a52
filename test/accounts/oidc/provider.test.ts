import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearer, mia, startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';
import { startApp } from '../../support/app.ts';
import { AUDIENCE } from '../../support/openid.ts';
import { organisation } from '../../support/records.ts';
import { subscribeWs, wsClient } from '../../support/streams.ts';

let app: OpenIdApp;
let now: number;

beforeAll(async () => {
  app = await startOpenIdApp({ OIDC_PROVISION: 'true' });
});
afterAll(() => app.close());
const setTime = (ms: number): void => app.setTime((now = ms));
beforeEach(() => setTime(Math.max(Date.now(), now + 31_000 || 0)));

const accessToken = async (): Promise<string> => (await app.provider.tokens('1')).access_token;

it('finds new keys without a restart, and then refuses tokens of the old ones', async () => {
  const [first, unseen] = [await accessToken(), await accessToken()];
  expect((await app.call(first)).status).toBe(200);
  await app.provider.rotate();
  const second = await accessToken();
  // Strangers can't make the gateway ask for keys all the time: it waits half a minute.
  const before = app.provider.asked.length;
  expect((await app.call(second)).status).toBe(401);
  expect(app.provider.asked.length).toBe(before);
  setTime(now + 31_000);
  expect((await app.call(second)).status).toBe(200);
  expect((await app.call(unseen)).status).toBe(401);
  expect((await app.call(first)).status).toBe(200);
});

it('a flood of unknown keys asks the provider once in half a minute', async () => {
  await app.call(await accessToken());
  setTime(now + 31_000);
  const before = app.provider.asked.length;
  const tokens = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      app.provider.sign(
        {
          iss: app.provider.issuer,
          aud: AUDIENCE,
          sub: '1',
          exp: now / 1000 + 300,
        },
        { kid: `${index}` },
      ),
    ),
  );
  const answers = await Promise.all(tokens.map((token) => app.call(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  expect(app.provider.asked.slice(before)).toEqual(['/jwks']);
});

it('while the provider is down, sessions go on, tokens it vouched for before are accepted, and others get 503', async () => {
  const [running, known] = [await accessToken(), await accessToken()];
  const { id_token } = await app.provider.tokens('1');
  expect((await app.call(running)).status).toBe(200);
  await app.provider.rotate();
  const fresh = await accessToken();
  const freshId = (await app.provider.tokens('1')).id_token;
  await app.provider.stop();
  setTime(now + 31_000);
  expect((await app.call(running)).status).toBe(200);
  expect((await app.call(known)).status).toBe(200);
  expect((await app.signIn(id_token)).status).toBe(200);
  const { status, headers, json } = await app.call(fresh);
  expect([status, headers.get('retry-after'), json['status']]).toEqual([503, '5', 'ER']);
  expect((await app.ask(fresh)).errors).toMatchObject([
    { extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 } },
  ]);
  expect((await app.signIn(freshId)).status).toBe(503);
  const mutation = `mutation ($t: String!) { signInWithToken(input: { idToken: $t }) { token } }`;
  expect((await app.gql(mutation, { t: freshId })).errors).toMatchObject([
    { extensions: { code: 'SERVICE_UNAVAILABLE' } },
  ]);
  const client = wsClient(app, { Authorization: `Bearer ${fresh}` });
  const stream = subscribeWs(client, 'subscription { feedChanged { __typename } }');
  expect(await stream.closed).toMatchObject({ code: 1013 });
  await client.dispose();
  await app.provider.start();
  setTime(now + 31_000);
  expect((await app.call(fresh)).status).toBe(200);
});

it('a gateway starts while its provider is down', async () => {
  await app.provider.stop();
  const other = await startApp({
    now: Date.now(),
    env: { OIDC_ISSUER: app.provider.issuer, OIDC_AUDIENCE: 'a', OIDC_DOMAIN: 'acme' },
  });
  expect((await other.rest('/readyz')).status).toBe(200);
  const headers = {
    authorization: `Bearer ${await app.provider.sign({ iss: app.provider.issuer, aud: 'a', sub: '1', exp: Date.now() / 1000 + 60 })}`,
  };
  expect((await other.rest('/task/v1/feeds/list', undefined, { headers })).status).toBe(503);
  await other.close();
  await app.provider.start();
});

describe.each([
  [
    'of many keys',
    (jwk: object) =>
      JSON.stringify({
        keys: Array.from({ length: 5_000 }, (_, index) => ({ ...jwk, kid: `k${index}` })),
      }),
  ],
  [
    'of a gigabyte, as far as it is read',
    (jwk: object) => JSON.stringify({ keys: [jwk], more: 'x'.repeat(5_000_000) }),
  ],
  ['that is no JSON', () => '<html>'],
  ['without keys', () => '{}'],
])('a key set %s is not used', (_, keys) => {
  const tokenOf = (kid?: string): Promise<string> => {
    const [iss, exp] = [app.provider.issuer, now / 1000 + 3_000];
    const claims = { iss, aud: AUDIENCE, sub: '1', exp, jti: String(Math.random()), ...mia };
    return app.provider.sign(claims, kid === undefined ? {} : { kid });
  };
  const serve = (): void => {
    const { provider } = app;
    provider.instead.set('/jwks', { status: 200, body: keys(provider.key().jwk) });
  };
  afterEach(() => app.provider.instead.clear());

  it('the earlier keys go on, and others are unknown as while the provider is down', async () => {
    expect((await app.call(await tokenOf())).status).toBe(200);
    serve();
    setTime(now + 600_000);
    expect((await app.call(await tokenOf())).status).toBe(200);
    const { status, headers } = await app.call(await tokenOf('unknown'));
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    app.provider.instead.clear();
    setTime(now + 31_000);
    expect((await app.call(await tokenOf('unknown'))).status).toBe(401);
  });

  it('without earlier keys, its tokens are refused, until there are others', async () => {
    serve();
    const other = await startApp({
      now,
      env: {
        OIDC_ISSUER: app.provider.issuer,
        ...{ OIDC_AUDIENCE: AUDIENCE, OIDC_DOMAIN: 'acme', OIDC_PROVISION: 'true' },
      },
    });
    await other.load(organisation);
    const callOther = async (): Promise<number> => {
      const headers = bearer(await tokenOf());
      return (await other.rest('/task/v1/feeds/list', undefined, { headers })).status;
    };
    expect(await callOther()).toBe(401);
    other.setTime(now + 31_000);
    expect(await callOther()).toBe(401);
    app.provider.instead.clear();
    other.setTime(now + 62_000);
    expect(await callOther()).toBe(200);
    await other.close();
  });
});

it('keys that are none are left out of a key set', async () => {
  const body = '{"keys":[null,1,{"kty":"RSA","kid":"a"},{"kty":"oct","k":"AAAA"}]}';
  app.provider.instead.set('/jwks', { status: 200, body });
  setTime(now + 600_000);
  const claims = { iss: app.provider.issuer, aud: AUDIENCE, sub: '1', exp: now / 1000 + 300 };
  expect((await app.call(await app.provider.sign(claims))).status).toBe(401);
  app.provider.instead.clear();
  setTime(now + 31_000);
  expect((await app.call(await app.provider.sign(claims))).status).toBe(200);
});

it('a provider that calls itself otherwise is none', async () => {
  const other = await startApp({
    now: Date.now(),
    env: {
      OIDC_ISSUER: app.provider.issuer.replace('127.0.0.1', 'localhost'),
      OIDC_AUDIENCE: 'a',
      OIDC_DOMAIN: 'acme',
    },
  });
  const iss = app.provider.issuer.replace('127.0.0.1', 'localhost');
  const token = await app.provider.sign({ iss, aud: 'a', sub: '1', exp: Date.now() / 1000 + 60 });
  const headers = { authorization: `Bearer ${token}` };
  expect((await other.rest('/task/v1/feeds/list', undefined, { headers })).status).toBe(503);
  await other.close();
});
