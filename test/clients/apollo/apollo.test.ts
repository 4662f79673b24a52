import { gql, type ApolloClient } from '@apollo/client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { CHANGE_STATUS, FEED, FEED_CHANGED, FEEDS, SIGN_IN } from '../feed-documents.ts';
import { startGateway } from '../start-gateway.ts';
import { createApollo } from './create-apollo.ts';
import { findPossibleTypes } from './find-possible-types.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let client: ApolloClient;
let token: string | undefined;
beforeEach(async () => {
  token = undefined;
  client = createApollo(gateway.graphql, () => token, findPossibleTypes('schema.graphql'));
  const { data } = await client.mutate<any>({
    mutation: gql(SIGN_IN),
    variables: { input: { login: 'ana', password: 'secret of ana' } },
  });
  token = data.signIn.token;
});

/** Opens the list; `seen` is what its reader sees of a feed, one value after the other. */
async function openFeeds(variables: object) {
  await client.query({ query: gql(FEEDS), variables });
  const query = client.watchQuery<any>({ query: gql(FEEDS), variables });
  const lists: any[] = [];
  query.subscribe(({ data }) => lists.push(data.viewer.feeds));
  await vi.waitUntil(() => lists.length > 0, { timeout: 20_000 });
  const nodes = (list: any): any[] => list.edges.map(({ node }: any) => node);
  const feeds = (): any => client.readQuery<any>({ query: gql(FEEDS), variables })?.viewer.feeds;
  return {
    keys: (): number[] => nodes(feeds()).map(({ feedKey }) => feedKey),
    feed: (key: number) => nodes(feeds()).find(({ feedKey }) => feedKey === key),
    seen: (key: number): any[] =>
      lists.map((list) => nodes(list).find(({ feedKey }) => feedKey === key)),
    pageInfo: () => feeds().pageInfo,
    changeCursor: (): string => feeds().changeCursor,
    page: (more: object) => query.fetchMore({ variables: more }),
  };
}
const optimistic = (id: string, version: number) => ({
  changeFeedStatus: {
    __typename: 'ChangeFeedStatusPayload',
    feed: { __typename: 'Feed', id, status: 'COMPLETED', version },
  },
});

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
  await client.query({ query: gql(FEED), variables: { id } });
  expect(list.feed(2)).toMatchObject({ status: 'REVIEWED', version: version + 1 });
});

it('shows a change at once, then as the gateway answers it', async () => {
  const list = await openFeeds({ first: 8 });
  const { id, version } = list.feed(3);
  await client.mutate({
    mutation: gql(CHANGE_STATUS),
    variables: { input: { feedId: id, status: 'COMPLETED' } },
    optimisticResponse: optimistic(id, version),
  });
  await vi.waitUntil(() => list.seen(3).at(-1).version === version + 1, { timeout: 20_000 });
  expect(list.seen(3)).toMatchObject([
    { status: 'IN_PROGRESS', version },
    { status: 'COMPLETED', version },
    { status: 'COMPLETED', version: version + 1 },
  ]);
});

it('takes a change back that the gateway refuses', async () => {
  const list = await openFeeds({ first: 8 });
  const { id, version } = list.feed(4);
  await gateway.touch(4);
  const input = { feedId: id, status: 'COMPLETED', expectedVersion: version };
  const { data } = await client.mutate<any>({
    mutation: gql(CHANGE_STATUS),
    variables: { input },
    optimisticResponse: optimistic(id, version),
  });
  expect(data.changeFeedStatus).toMatchObject({
    __typename: 'ConflictError',
    message: expect.any(String),
  });
  await vi.waitUntil(() => list.seen(4).length > 2, { timeout: 20_000 });
  expect(list.seen(4)).toMatchObject([
    { status: 'IN_PROGRESS', version },
    { status: 'COMPLETED', version },
    { status: 'IN_PROGRESS', version },
  ]);
});

it('follows what others change', async () => {
  const list = await openFeeds({ first: 8 });
  const failed = vi.fn();
  const subscription = client
    .subscribe<any>({ query: gql(FEED_CHANGED), variables: { after: list.changeCursor() } })
    .subscribe({ next: ({ error }) => error && failed(error), error: failed });
  await gateway.touch(7);
  await vi.waitUntil(() => list.feed(7).status === 'REVIEWED', { timeout: 20_000 });
  subscription.unsubscribe();
  expect(failed).not.toHaveBeenCalled();
});
