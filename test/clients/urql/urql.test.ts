import { gql, type Client } from '@urql/core';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CHANGE_STATUS, FEED, FEED_CHANGED, FEEDS, SIGN_IN } from '../feed-documents.ts';
import { startGateway } from '../start-gateway.ts';
import { createUrql } from './create-urql.ts';
import { introspectSchema } from './introspect-schema.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let client: Client;
let token: string | undefined;
beforeEach(async () => {
  token = undefined;
  client = createUrql(gateway.graphql, () => token, introspectSchema('schema.graphql'));
  const { data } = await client.mutation(gql(SIGN_IN), {
    input: { login: 'ana', password: 'secret of ana' },
  });
  token = data.signIn.token;
});

const warnings = vi.spyOn(console, 'warn');
afterAll(() => expect(warnings).not.toHaveBeenCalled());

/** Opens the list; `page` reads one more page into it. */
async function openFeeds(variables: object) {
  const { data, error } = await client.query(gql(FEEDS), variables);
  if (error) throw error;
  const read = (): any =>
    client.readQuery(gql(FEEDS), variables)?.data.viewer.feeds ?? data.viewer.feeds;
  return {
    keys: (): number[] => read().edges.map(({ node }: any) => node.feedKey),
    feed: (key: number) => read().edges.find(({ node }: any) => node.feedKey === key)?.node,
    pageInfo: () => read().pageInfo,
    changeCursor: (): string => read().changeCursor,
    page: (more: object) => client.query(gql(FEEDS), more),
  };
}

it('pages forward to the end of the list', async () => {
  const list = await openFeeds({ first: 3 });
  expect(list.keys()).toEqual([1, 2, 3]);
  while (list.pageInfo().hasNextPage)
    await list.page({ first: 3, after: list.pageInfo().endCursor });
  expect(list.keys()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('pages back to the beginning of the list', async () => {
  const list = await openFeeds({ last: 3 });
  expect(list.keys()).toEqual([6, 7, 8]);
  while (list.pageInfo().hasPreviousPage)
    await list.page({ last: 3, before: list.pageInfo().startCursor });
  expect(list.keys()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('reads a feed again by its id, into the list', async () => {
  const list = await openFeeds({ first: 3 });
  const { id, version } = list.feed(2);
  await gateway.touch(2);
  await client.query(gql(FEED), { id }, { requestPolicy: 'network-only' });
  expect(list.feed(2)).toMatchObject({ status: 'REVIEWED', version: version + 1 });
});

/** What a reader of the list sees of a feed, one value after the other. */
function watch(key: number): { seen: any[]; stop: () => void } {
  const seen: any[] = [];
  const subscription = client
    .query(gql(FEEDS), { first: 8 })
    .subscribe(({ data }) =>
      seen.push(data.viewer.feeds.edges.find(({ node }: any) => node.feedKey === key).node),
    );
  return { seen, stop: () => subscription.unsubscribe() };
}

it('shows a change at once, then as the gateway answers it', async () => {
  const { feed } = await openFeeds({ first: 8 });
  const { id, version } = feed(3);
  const { seen, stop } = watch(3);
  await client.mutation(gql(CHANGE_STATUS), { input: { feedId: id, status: 'COMPLETED' } });
  await vi.waitUntil(() => seen.at(-1).version === version + 1, { timeout: 20_000 });
  stop();
  expect(seen).toMatchObject([
    { status: 'IN_PROGRESS', version },
    { status: 'COMPLETED', version },
    { status: 'COMPLETED', version: version + 1 },
  ]);
});

it('takes a change back that the gateway refuses', async () => {
  const { feed } = await openFeeds({ first: 8 });
  const { id, version } = feed(4);
  await gateway.touch(4);
  const { seen, stop } = watch(4);
  const { data } = await client.mutation(gql(CHANGE_STATUS), {
    input: { feedId: id, status: 'COMPLETED', expectedVersion: version },
  });
  expect(data.changeFeedStatus).toMatchObject({ code: 'CONFLICT', message: expect.any(String) });
  await vi.waitUntil(() => seen.length > 2, { timeout: 20_000 });
  stop();
  expect(seen).toMatchObject([
    { status: 'IN_PROGRESS', version },
    { status: 'COMPLETED', version },
    { status: 'IN_PROGRESS', version },
  ]);
});

it('follows what others change', async () => {
  const { changeCursor } = await openFeeds({ first: 8 });
  const { seen, stop } = watch(7);
  const subscription = client
    .subscription(gql(FEED_CHANGED), { after: changeCursor() })
    .subscribe(({ error }) => expect(error).toBeUndefined());
  await gateway.touch(7);
  await vi.waitUntil(() => seen.at(-1).status === 'REVIEWED', { timeout: 20_000 });
  subscription.unsubscribe();
  stop();
});
