import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bearer, startOpenIdApp, type OpenIdApp } from '../../support/openid-app.ts';
import { subscribeWs, wsClient } from '../../support/streams.ts';

let app: OpenIdApp;

beforeAll(async () => {
  app = await startOpenIdApp({ OIDC_PROVISION: 'true' });
});
afterAll(() => app.close());
beforeEach(() => app.setTime(Date.now()));

const refused = { status: 'ER', errorCode: 'E202', response: 'Session token missing or invalid' };
const accessToken = async (subject = '1'): Promise<string> =>
  (await app.provider.tokens(subject)).access_token;
const counts = `subscription { feedCountsChanged(startDate: "2026-01-01", endDate: "2026-01-02") { total } }`;
const sessionsOf = (token: string): Promise<{ sessionId: string; current: boolean }[]> =>
  app
    .ask(token, '{ viewer { sessions { nodes { sessionId current } } } }')
    .then(({ data }) => data.viewer.sessions.nodes);

it('takes an access token on every path of REST and on GraphQL', async () => {
  const token = await accessToken();
  for (const path of ['/task/v1/feeds/list', '/task/v1/config/list?config_type=FEED'])
    expect((await app.call(token, path)).status).toBe(200);
  expect((await app.call(token, '/api/Workspaces')).json).toMatchObject({ isSuccess: true });
  expect((await app.ask(token)).data).toEqual({ viewer: { login: 'mia@acme.test' } });
});

it('takes an access token on a WebSocket, in its parameters and in a header', async () => {
  const token = await accessToken();
  for (const client of [
    wsClient(app, { Authorization: `Bearer ${token}` }),
    wsClient(app, {}, bearer(token)),
  ]) {
    const stream = subscribeWs(client, counts);
    expect(await stream.until(({ length }) => length > 0)).toMatchObject([
      { data: { feedCountsChanged: { total: 0 } } },
    ]);
    stream.close();
    await client.dispose();
  }
});

it('takes an access token for server-sent events', async () => {
  const controller = new AbortController();
  const { body, status } = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
      ...bearer(await accessToken()),
    },
    body: JSON.stringify({ query: counts }),
    signal: controller.signal,
  });
  let text = '';
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('event: next')) break;
  }
  expect([status, text]).toEqual([200, expect.stringContaining('"total":0')]);
  controller.abort();
});

it('makes one session of a token, however many requests come at once', async () => {
  app.provider.people['crowd'] = { email: 'crowd@acme.test', name: 'Crowd' };
  const token = await accessToken('crowd');
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.call(token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await sessionsOf(token)).toEqual([{ sessionId: expect.any(String), current: true }]);
  const entries = await app.services.db.prisma.auditLog.findMany({
    where: { objects: { has: `User:${(await userOf('crowd@acme.test'))?.id}` } },
    orderBy: { id: 'asc' },
  });
  expect(entries).toMatchObject([
    { action: 'provisionUser', surface: 'REST', outcome: 'DONE', target: 'provider sso' },
    { action: 'signInWithToken', surface: 'REST', outcome: 'DONE', target: 'provider sso' },
  ]);
});

const userOf = (login: string) => app.services.db.prisma.user.findUnique({ where: { login } });

it('a session that was ended does not come back, however its signature is written', async () => {
  const [token, other] = [await accessToken(), await accessToken()];
  await app.ask(other);
  const { sessionId } = (await sessionsOf(token)).find(({ current }) => current)!;
  const end = `mutation { endSession(input: { sessionId: "${sessionId}" }) { __typename } }`;
  expect((await app.ask(other, end)).data.endSession.__typename).toBe('EndSessionPayload');
  expect((await app.call(token)).json).toEqual(refused);
  // The last letter of a signature has bits that do not count.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(token.at(-1)!);
  const variant = token.slice(0, -1) + letters[last ^ 1];
  expect((await app.call(variant)).json).toEqual(refused);
  expect((await app.ask(other)).data.viewer.login).toBe('mia@acme.test');
});

it('signOut ends the session of a token', async () => {
  const token = await accessToken();
  expect((await app.call(token)).status).toBe(200);
  expect(
    (await app.rest('/session', undefined, { method: 'DELETE', headers: bearer(token) })).status,
  ).toBe(200);
  expect((await app.call(token)).status).toBe(401);
});

it('ends with its token', async () => {
  const token = await accessToken();
  expect((await app.call(token)).status).toBe(200);
  const { exp = 0 } = decodeJwt(token);
  app.setTime(exp * 1000 + 59_000);
  expect((await app.call(token)).status).toBe(200);
  app.setTime(exp * 1000 + 60_000);
  expect((await app.call(token)).json).toEqual(refused);
});

it('a disabled user is refused at once, and streams end, though tokens live on', async () => {
  app.provider.people['2'] = { email: 'leaver@acme.test', name: 'Leaver' };
  const [token, unseen] = [await accessToken('2'), await accessToken('2')];
  const client = wsClient(app, { Authorization: `Bearer ${token}` });
  const stream = subscribeWs(client, counts);
  await stream.until(({ length }) => length > 0);
  await app.load([{ record: 'user', domain: 'acme', login: 'leaver@acme.test', disabled: true }]);
  expect((await app.call(token)).json).toEqual(refused);
  expect((await app.call(unseen)).json).toEqual(refused);
  await stream.closed;
  await app.load([{ record: 'user', domain: 'acme', login: 'leaver@acme.test', disabled: false }]);
  expect((await app.call(token)).json).toEqual(refused);
  expect((await app.call(unseen)).status).toBe(200);
  await client.dispose();
});

it('gives a session for an ID token once, over REST and GraphQL', async () => {
  const { id_token } = await app.provider.tokens('1');
  const { json, headers } = await app.signIn(id_token);
  expect([json, headers.get('cache-control')]).toEqual([
    { status: 'OK', token: expect.stringMatching(/^[\w-]{43}$/), expires_at: expect.any(String) },
    'no-store',
  ]);
  expect((await app.rest('/task/v1/feeds/list', json['token'])).status).toBe(200);
  expect((await app.signIn(id_token)).status).toBe(401);

  const again = await app.provider.tokens('1');
  const mutation = `mutation ($idToken: String!) { signInWithToken(input: { idToken: $idToken, clientMutationId: "m" }) { token clientMutationId viewer { login } } }`;
  const { data } = await app.gql(mutation, { idToken: again.id_token });
  expect(data.signInWithToken).toMatchObject({
    clientMutationId: 'm',
    viewer: { login: 'mia@acme.test' },
  });
  const replayed = await app.gql(mutation, { idToken: again.id_token });
  expect(replayed.errors?.[0]?.extensions['code']).toBe('UNAUTHENTICATED');
});

it('an access token is no ID token, nor the other way round', async () => {
  const { access_token, id_token } = await app.provider.tokens('1');
  expect((await app.signIn(access_token)).status).toBe(401);
  expect((await app.call(id_token)).json).toEqual(refused);
});

it('forgets sessions of tokens that are over, and those of passwords, which tell devices, after 90 days', async () => {
  const token = await accessToken();
  await app.call(token);
  const own = await app.signedIn('ana');
  const { forgetExpired } = await import('../../../src/core/context/forget-expired.ts');
  const count = (proof: null | { not: null }) =>
    app.services.db.prisma.session.count({ where: { proof } });
  await forgetExpired(app.services);
  expect(await count({ not: null })).toBeGreaterThan(0);
  app.setTime(Date.now() + 9 * 86_400_000);
  await forgetExpired(app.services);
  expect(await count({ not: null })).toBe(0);
  app.setTime(Date.now());
  expect((await app.rest('/task/v1/feeds/list', own)).status).toBe(200);
  app.setTime(Date.now() + 98 * 86_400_000);
  await forgetExpired(app.services);
  expect(await count(null)).toBe(0);
});
