import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AUDIENCE, CLIENT } from '../../support/openid.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

let app: OpenIdApp;
let good: Record<string, unknown>;

beforeAll(async () => {
  app = await startOpenIdApp({ OIDC_PROVISION: 'true', OIDC_AUTHORIZED_PARTIES: 'spa, tool' });
});
afterAll(() => app.close());
beforeEach(() => {
  app.setTime(Date.now());
  const now = Math.floor(Date.now() / 1000);
  good = {
    iss: app.provider.issuer,
    aud: AUDIENCE,
    sub: '1',
    azp: 'spa',
    iat: now,
    exp: now + 300,
    email: 'mia@acme.test',
    email_verified: true,
  };
});

const now = (): number => Math.floor(Date.now() / 1000);
const sign = (claims: object, header: object = {}): Promise<string> =>
  app.provider.sign({ ...good, jti: String(Math.random()), ...claims }, header);
const publicKey = async (): Promise<string> => {
  const { n, e } = app.provider.key().jwk;
  return exportSPKI(await importJWK({ kty: 'RSA', n: n!, e: e! }, 'RS256', { extractable: true }));
};

it('a token that is right is accepted', async () => {
  expect((await app.call(await sign({}))).status).toBe(200);
  expect((await app.call(await sign({ azp: undefined, client_id: 'tool' }))).status).toBe(200);
  expect((await app.call(await sign({ azp: undefined, cid: 'tool' }))).status).toBe(200);
  expect((await app.call(await sign({ aud: ['other', AUDIENCE] }, { typ: 'at+jwt' }))).status).toBe(
    200,
  );
  // Clocks may differ by a minute.
  expect((await app.call(await sign({ exp: now() - 50 }))).status).toBe(200);
  expect((await app.call(await sign({ nbf: now() + 50 }))).status).toBe(200);
});

const forged: Record<string, () => Promise<string> | string> = {
  'without a signature': async () => new UnsecuredJWT({ ...good }).encode(),
  'with an empty signature': async () => (await sign({})).replace(/[^.]*$/, ''),
  'signed with the public key as a secret': async () =>
    new SignJWT({ ...good })
      .setProtectedHeader({ alg: 'HS256', kid: app.provider.key().jwk.kid! })
      .sign(Buffer.from(await publicKey())),
  'signed by a key of somebody else': async () =>
    new SignJWT({ ...good })
      .setProtectedHeader({ alg: 'RS256', kid: app.provider.key().jwk.kid! })
      .sign((await generateKeyPair('RS256')).privateKey),
  'signed by a key that it brings along': async () => {
    const { privateKey, publicKey: own } = await generateKeyPair('ES256', { extractable: true });
    const { exportJWK } = await import('jose');
    return new SignJWT({ ...good })
      .setProtectedHeader({
        alg: 'ES256',
        jwk: await exportJWK(own),
        jku: `${app.provider.issuer}/bomb`,
        x5u: 'https://127.0.0.1:1/',
      })
      .sign(privateKey);
  },
  'changed after it was signed': async () => {
    const [header, , signature] = (await sign({})).split('.');
    const claims = Buffer.from(JSON.stringify({ ...good, sub: '2' })).toString('base64url');
    return [header, claims, signature].join('.');
  },
  'for another audience': () => sign({ aud: 'https://other.test' }),
  'for the client, not the API': () => sign({ aud: CLIENT }),
  'without an audience': () => sign({ aud: undefined }),
  'of another issuer': () => sign({ iss: 'https://other.test' }),
  'of an issuer that begins alike': () => sign({ iss: `${app.provider.issuer}/` }),
  'for another client': () => sign({ azp: 'game' }),
  'for another client, as Okta names it': () => sign({ azp: undefined, cid: 'game' }),
  'for no client': () => sign({ azp: undefined }),
  expired: () => sign({ exp: now() - 61 }),
  'that never expires': () => sign({ exp: undefined }),
  'that expires in ten years': () => sign({ exp: now() + 3e8 }),
  'whose expiry is a text': () => sign({ exp: '9999999999' }),
  'not valid yet': () => sign({ nbf: now() + 70 }),
  'issued tomorrow': () => sign({ iat: now() + 86_400 }),
  'without a subject': () => sign({ sub: undefined }),
  'with a subject of 300 letters': () => sign({ sub: 'x'.repeat(300) }),
  'with a NUL in the subject': () => sign({ sub: 'a\0b' }),
  'of a logout': () => sign({}, { typ: 'logout+jwt' }),
  'that is to be an ID token': () => sign({ typ: 'ID' }),
  'with a critical header': () =>
    new SignJWT({ ...good })
      .setProtectedHeader({ alg: 'RS256', kid: app.provider.key().jwk.kid!, crit: ['exp'], exp: 1 })
      .sign(app.provider.key().privateKey, { crit: { exp: true } }),
  'with a path as kid': () => sign({}, { kid: '../../../../etc/passwd' }),
  'with a URL as kid': () => sign({}, { kid: 'http://169.254.169.254/' }),
  'with SQL as kid': () => sign({}, { kid: "' OR '1'='1" }),
  'with a prototype as kid': () => sign({}, { kid: '__proto__' }),
  'with an unknown kid': () => sign({}, { kid: 'unknown' }),
  'with an algorithm that is none': () =>
    `${Buffer.from('{"alg":"nOnE"}').toString('base64url')}.${Buffer.from(JSON.stringify(good)).toString('base64url')}.AAAA`,
  'whose header is no JSON': () => 'e30.e30.e30',
  'whose header is a list': () => `${Buffer.from('[]').toString('base64url')}.e30.AA`,
  'of dots': () => 'a.b.c',
  'with deep JSON': () =>
    `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from('['.repeat(5_000)).toString('base64url')}.AA`,
  'of twelve thousand letters': () => sign({ more: 'x'.repeat(9_000) }, { kid: 'unknown' }),
};

it.each(Object.keys(forged))('a token %s is refused like any other', async (name) => {
  const token = await forged[name]!();
  const rest = await app.call(token);
  expect([rest.status, rest.json]).toEqual([
    401,
    { status: 'ER', errorCode: 'E202', response: 'Session token missing or invalid' },
  ]);
  const graphql = await app.ask(token);
  expect(graphql.errors).toMatchObject([
    { message: 'Session token missing or invalid', extensions: { code: 'UNAUTHENTICATED' } },
  ]);
  expect((await app.call(token, '/api/Workspaces')).json).toMatchObject({ isSuccess: false });
  const idToken = await app.signIn(token);
  expect([idToken.status, idToken.json]).toEqual([
    401,
    { status: 'ER', errorCode: 'E202', response: 'The token is not valid here' },
  ]);
});

it.each([
  ['for another client', { aud: 'game' }],
  ['for several clients, without saying to which it was given', { aud: [CLIENT, 'game'] }],
  ['given to another client', { aud: [CLIENT, 'game'], azp: 'game' }],
  ['of eleven and a half minutes ago', { iat: now() - 690 }],
  ['without the time of its issue', { iat: undefined }],
])('an ID token %s is refused', async (_, claims) => {
  const token = await sign({ aud: CLIENT, azp: undefined, ...claims });
  expect((await app.signIn(token)).status).toBe(401);
});

it('huge texts as ID tokens are refused', async () => {
  for (const text of ['x'.repeat(500_000), `${'a'.repeat(300_000)}.b.c`, 'a.b.c.d.e', ''])
    expect([400, 401]).toContain((await app.signIn(text)).status);
  const answer = await app.rest('/session', undefined, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id_token: { toString: 1 } }),
  });
  expect(answer.status).toBe(400);
});

it('nothing of them begins a session or makes a user', async () => {
  const { prisma } = app.services.db;
  expect(await prisma.user.count({ where: { identity: { isNot: null } } })).toBe(1);
  expect(await prisma.session.count()).toBe(6);
});

it('strangers do not make the gateway ask the provider', async () => {
  const before = app.provider.asked.length;
  for (let index = 0; index < 50; index++)
    await app.call(await sign({}, { kid: `unknown-${index}` }));
  expect(app.provider.asked.length).toBe(before);
});
