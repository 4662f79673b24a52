import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT } from '../../support/openid.ts';
import { startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';

let app: OpenIdApp;

// The same application is the API and the client, so that the audience tells nothing.
beforeAll(async () => {
  app = await startOpenIdApp({ OIDC_PROVISION: 'true', OIDC_AUDIENCE: CLIENT });
});
afterAll(() => app.close());
beforeEach(() => app.setTime(Date.now()));

const sign = (claims: object): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  return app.provider.sign({
    ...{ iss: app.provider.issuer, aud: CLIENT, sub: '1', iat: now, exp: now + 300 },
    ...{ email: 'mia@acme.test', email_verified: true, jti: String(Math.random()) },
    ...claims,
  });
};
const uses = async (claims: object): Promise<{ access: number; id: number }> => ({
  access: (await app.call(await sign(claims))).status,
  id: (await app.signIn(await sign(claims))).status,
});

describe('where audience and client are the same', () => {
  it.each([{ nonce: 'n' }, { at_hash: 'a' }, { c_hash: 'c' }, { nonce: 'n', azp: CLIENT }])(
    'a token with %j is an ID token only',
    async (claims) => expect(await uses(claims)).toEqual({ access: 401, id: 200 }),
  );

  it.each([
    { scp: 'api' },
    { scp: ['api'] },
    { scope: 'openid' },
    { client_id: 'game' },
    { appid: 'game' },
    { cid: 'game' },
    { azp: CLIENT, cid: 'game' },
    { nonce: 'n', typ: 'Bearer' },
  ])('a token with %j is an access token only', async (claims) =>
    expect(await uses(claims)).toEqual({ access: 200, id: 401 }),
  );

  it('an ID token that an own client was given signs in', async () => {
    const { id_token } = await app.provider.tokens('1');
    expect((await app.call(id_token)).status).toBe(401);
    expect((await app.signIn(id_token)).status).toBe(200);
    expect((await app.signIn(await sign({ client_id: CLIENT }))).status).toBe(200);
  });
});
