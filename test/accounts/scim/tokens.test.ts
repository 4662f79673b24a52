import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeApiKey } from '../../../src/auth/api-keys.ts';
import { NOON } from '../../support/app.ts';
import { startScimApp, type ScimApp } from '../../support/scim.ts';

let app: ScimApp;
let admin: string;
beforeAll(async () => {
  app = await startScimApp({ env: { RATE_LIMIT: '30' } });
  admin = await app.signedIn('admin');
});
afterAll(() => app.close());

const ask = (token?: string): ReturnType<ScimApp['rest']> =>
  app.rest('/scim/v2/Users', undefined, {
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });

it('only a live SCIM token opens /scim/v2: all others are refused alike', async () => {
  const session = await app.signedIn('admin');
  const wrong = `${app.acme.token.slice(0, -1)}${app.acme.token.endsWith('A') ? 'B' : 'A'}`;
  for (const token of [
    undefined,
    '',
    'x',
    session,
    wrong,
    makeApiKey('tsc').key,
    makeApiKey().key,
  ]) {
    const { status, headers, json } = await ask(token);
    expect([status, headers.get('www-authenticate'), json]).toEqual([
      401,
      'Bearer realm="SCIM"',
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '401',
        detail: 'The SCIM token is missing or not valid',
      },
    ]);
  }
  expect((await app.rest('/scim/v2/Users', session)).status).toBe(401);
  expect((await app.rest('/scim/v2/nothing')).json['status']).toBe('404');
});

it('a SCIM token counts nowhere else', async () => {
  const headers = { authorization: `Bearer ${app.acme.token}` };
  const { data } = await app.gql('{ viewer { login } }', {}, undefined, headers);
  expect(data?.viewer ?? null).toBeNull();
  expect((await app.rest('/api/Workspaces', undefined, { headers })).status).toBe(401);
  expect((await app.rest('/task/v1/feeds/list', app.acme.token)).status).toBe(401);
});

const ISSUE = `mutation ($input: IssueScimTokenInput!) { issueScimToken(input: $input) {
  ... on IssueScimTokenPayload { token scimToken { id prefix expiresAt revokedAt } }
  ... on ValidationError { problems { path code } } ... on ForbiddenError { code } } }`;
const REVOKE = `mutation ($id: ID!) { revokeScimToken(input: { tokenId: $id }) {
  ... on RevokeScimTokenPayload { scimToken { revokedAt } } ... on NotFoundError { code } } }`;

it('administrators issue tokens of their domain, two at a time, list and revoke them', async () => {
  const issue = async (input: object, token = admin): Promise<any> =>
    (await app.gql(ISSUE, { input }, token)).data.issueScimToken;
  expect(await issue({}, await app.signedIn('bob'))).toEqual({ code: 'FORBIDDEN' });
  expect((await issue({ expiresAt: '2020-01-01T00:00:00Z' })).problems[0].code).toBe(
    'EXPIRY_IN_PAST',
  );
  const { token, scimToken } = await issue({ expiresAt: '2026-11-20T13:00:00Z' });
  expect(token.startsWith(`${scimToken.prefix}_`)).toBe(true);
  expect((await ask(token)).status).toBe(200);
  expect((await issue({})).problems[0].code).toBe('TOO_MANY_TOKENS');
  const { data } = await app.gql('{ viewer { scimTokens { id prefix lastUsedAt } } }', {}, admin);
  expect(data.viewer.scimTokens).toHaveLength(2);
  expect(JSON.stringify(data)).not.toContain(token);
  const kept = await app.services.db.prisma.scimToken.findMany();
  expect(JSON.stringify(kept)).not.toContain(token.slice(13));

  app.setTime(NOON + 3_600_000);
  expect((await ask(token)).status).toBe(401);
  const next = await issue({}, await app.signedIn('admin'));
  expect((await ask(next.token)).status).toBe(200);
  const rival = await app.services.db.prisma.scimToken.findFirstOrThrow({
    where: { domain: { name: 'rival' } },
  });
  const session = await app.signedIn('admin');
  const revoke = async (id: string): Promise<any> =>
    (await app.gql(REVOKE, { id }, session)).data.revokeScimToken;
  expect(await revoke(`tsc_${rival.prefix}`)).toEqual({ code: 'NOT_FOUND' });
  expect(await revoke(next.scimToken.id)).toEqual({
    scimToken: { revokedAt: '2026-11-20T13:00:00.000Z' },
  });
  expect((await ask(next.token)).status).toBe(401);
  expect((await app.rival.send('GET', '/Users')).status).toBe(200);
});

it('calls of a token are limited as those of an API key are', async () => {
  const answers = [];
  for (let call = 0; call < 40; call++)
    answers.push(await app.rival.send('GET', '/Groups?count=0'));
  const limited = answers.find(({ status }) => status === 429)!;
  expect(limited.json).toMatchObject({ status: '429' });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask(app.acme.token)).status).toBe(200);
});
