import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { freshDatabase, NOON, startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeSse } from '../support/streams.ts';

let app: TestApp;
/** Another gateway on the same database; an embedded one has a single gateway. */
let other: TestApp;

beforeAll(async () => {
  const database = await freshDatabase();
  app = await startApp({ database });
  other = database.kind === 'server' ? await startApp({ database }) : app;
  await app.load([...organisation, feed(1)]);
});
afterAll(async () => {
  if (other !== app) await other.close();
  await app.close();
});
beforeEach(() => app.setTime(NOON));

const LIST =
  'query ($first: Int, $after: Cursor) { viewer { sessions(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { id: sessionId current createdAt lastSeenAt expiresAt } } } }';
const END =
  'mutation ($id: ID!) { endSession(input: { sessionId: $id, clientMutationId: "m" }) { __typename ... on EndSessionPayload { endedId clientMutationId } ... on NotFoundError { entity } } }';
const list = async (token: string, variables: object = {}): Promise<any> => {
  const { data, errors } = await app.gql(LIST, variables, token);
  expect(errors).toBeUndefined();
  return data.viewer.sessions;
};
const end = async (token: string, id: string): Promise<any> =>
  (await app.gql(END, { id }, token)).data.endSession;
it('lists the own sessions that have not ended, the latest first, page by page', async () => {
  const first = await app.signedIn('ana');
  app.setTime(NOON + 60_000);
  const second = await app.signedIn('ana');
  await app.signedIn('bob');
  const all = await list(second);
  expect(all.nodes).toEqual([
    {
      id: expect.any(String),
      current: true,
      createdAt: '2026-11-20T12:01:00.000Z',
      lastSeenAt: '2026-11-20T12:01:00.000Z',
      expiresAt: '2026-11-21T00:01:00.000Z',
    },
    expect.objectContaining({ current: false, createdAt: '2026-11-20T12:00:00.000Z' }),
  ]);
  const page = await list(second, { first: 1 });
  expect(page).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
  const rest = await list(second, { first: 1, after: page.pageInfo.endCursor });
  expect(rest.nodes).toEqual([all.nodes[1]]);
  expect(JSON.stringify(all)).not.toContain(first);
  app.setTime(NOON + 12 * 3_600_000);
  expect((await list(second)).nodes).toHaveLength(1);
  await app.gql('mutation { signOut { signedOut } }', {}, second);
});

it('ends another session of the own at once, with its streams on every gateway', async () => {
  const [lost, mine] = [await app.signedIn('tess'), await app.signedIn('tess')];
  const stream = await subscribeSse(other, lost, 'subscription { feedChanged { __typename } }');
  const { id } = (await list(mine)).nodes.find(({ current }: any) => !current);
  expect(await end(mine, id)).toEqual({
    __typename: 'EndSessionPayload',
    endedId: id,
    clientMutationId: 'm',
  });
  await stream.closed;
  expect(stream.results[0]?.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect((await other.rest('/task/v1/feeds/list', lost)).status).toBe(401);
  expect((await list(mine)).nodes).toHaveLength(1);
  expect(await end(mine, id)).toEqual({ __typename: 'NotFoundError', entity: 'Session' });
});

it("does not find anybody else's sessions, nor what is no session", async () => {
  const [ana, eve] = [await app.signedIn('ana'), await app.signedIn('eve')];
  const { id } = (await list(ana)).nodes[0];
  for (const one of [id, '', 'x', '\0', '00000000-0000-7000-8000-000000000000'])
    expect(await end(eve, one)).toEqual({ __typename: 'NotFoundError', entity: 'Session' });
  expect((await list(ana)).nodes[0].id).toBe(id);
});

it('ends the session of the request too, as signing out does', async () => {
  const token = await app.signedIn('bob');
  const { id } = (await list(token)).nodes.find(({ current }: any) => current);
  expect((await end(token, id)).__typename).toBe('EndSessionPayload');
  expect((await app.rest('/task/v1/feeds/list', token)).status).toBe(401);
});
