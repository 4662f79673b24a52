import {
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  getFragment,
  getRequest,
  getSingularSelector,
  requestSubscription,
  type Environment,
  type MutationConfig,
  type MutationParameters,
  type OperationType,
} from 'relay-runtime';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startGateway } from '../start-gateway.ts';
import type { feedList_viewer$data } from './__generated__/feedList_viewer.graphql.ts';
import FeedListPageQuery, {
  type feedListPageQuery,
} from './__generated__/feedListPageQuery.graphql.ts';
import type { feedListNodeQuery } from './__generated__/feedListNodeQuery.graphql.ts';
import type { feedListQuery } from './__generated__/feedListQuery.graphql.ts';
import type { feedListStatusMutation } from './__generated__/feedListStatusMutation.graphql.ts';
import type { signInMutation } from './__generated__/signInMutation.graphql.ts';
import type { workspaceListCreateMutation } from './__generated__/workspaceListCreateMutation.graphql.ts';
import type { workspaceListDeleteMutation } from './__generated__/workspaceListDeleteMutation.graphql.ts';
import type { workspaceListQuery } from './__generated__/workspaceListQuery.graphql.ts';
import { createEnvironment } from './environment.ts';
import { ChangeStatus, FeedChanged, FeedList, FeedListQuery, FeedQuery } from './feed-list.ts';
import { SignIn } from './sign-in.ts';
import { CreateWorkspace, DeleteWorkspace, WorkspaceList } from './workspace-list.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

let environment: Environment;
let token: string | undefined;
beforeEach(async () => {
  token = undefined;
  environment = createEnvironment(gateway.graphql, () => token);
  const { signIn } = await commit<signInMutation>({
    mutation: SignIn,
    variables: { input: { login: 'ana', password: 'secret of ana' } },
  }).done;
  token = signIn.token;
});

/** Sends a mutation; `done` is the answer of the gateway. */
function commit<Mutation extends MutationParameters>(
  config: MutationConfig<Mutation>,
): { done: Promise<Mutation['response']> } {
  return {
    done: new Promise((resolve, reject) =>
      commitMutation(environment, { ...config, onCompleted: resolve, onError: reject }),
    ),
  };
}

/** Reads a query from the gateway and keeps it in the store; `read` is what the store has now. */
async function load<Query extends OperationType>(
  query: Parameters<typeof getRequest>[0],
  variables: Query['variables'],
): Promise<() => Query['response']> {
  const operation = createOperationDescriptor(getRequest(query), variables);
  environment.retain(operation);
  await fetchQuery<Query>(environment, query, variables).toPromise();
  return () => environment.lookup(operation.fragment).data as Query['response'];
}

/** Opens the list; `page` reads one more page into it, as usePaginationFragment does. */
async function openFeeds(variables: feedListQuery['variables']) {
  const query = await load<feedListQuery>(FeedListQuery, variables);
  const read = (): feedList_viewer$data => {
    const selector = getSingularSelector(getFragment(FeedList), query().viewer);
    if (!selector) throw new Error('the list is not there');
    return environment.lookup(selector).data as unknown as feedList_viewer$data;
  };
  return {
    keys: () => read().feeds.edges.map(({ node }) => node.feedKey),
    feed: (key: number) => read().feeds.edges.find(({ node }) => node.feedKey === key)?.node,
    pageInfo: () => read().feeds.pageInfo,
    changeCursor: () => read().feeds.changeCursor,
    page: (more: feedListPageQuery['variables']) =>
      fetchQuery<feedListPageQuery>(environment, FeedListPageQuery, more).toPromise(),
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
  await gateway.touch(2);
  const { id, version } = list.feed(2) ?? { id: '', version: 0 };
  await load<feedListNodeQuery>(FeedQuery, { id });
  expect(list.feed(2)).toMatchObject({ status: 'REVIEWED', version: version + 1 });
});

it('shows a change at once, then as the gateway answers it', async () => {
  const list = await openFeeds({ first: 3 });
  const before = list.feed(3) ?? { id: '', version: 0 };
  const { done } = commit<feedListStatusMutation>({
    mutation: ChangeStatus,
    variables: { input: { feedId: before.id, status: 'COMPLETED' } },
    optimisticResponse: {
      changeFeedStatus: {
        __typename: 'ChangeFeedStatusPayload',
        feed: { id: before.id, status: 'COMPLETED', version: before.version },
      },
    },
  });
  expect(list.feed(3)).toMatchObject({ status: 'COMPLETED', version: before.version });
  await done;
  expect(list.feed(3)).toMatchObject({ status: 'COMPLETED', version: before.version + 1 });
});

it('takes a change back that the gateway refuses', async () => {
  const list = await openFeeds({ first: 4 });
  const before = list.feed(4) ?? { id: '', version: 0 };
  await gateway.touch(4);
  const { done } = commit<feedListStatusMutation>({
    mutation: ChangeStatus,
    variables: {
      input: { feedId: before.id, status: 'COMPLETED', expectedVersion: before.version },
    },
    optimisticResponse: {
      changeFeedStatus: {
        __typename: 'ChangeFeedStatusPayload',
        feed: { id: before.id, status: 'COMPLETED', version: before.version },
      },
    },
  });
  expect(list.feed(4)).toMatchObject({ status: 'COMPLETED' });
  expect((await done).changeFeedStatus).toMatchObject({
    __typename: 'ConflictError',
    message: expect.any(String),
  });
  expect(list.feed(4)).toEqual(before);
});

it('adds what is created to a connection, and takes out what is deleted', async () => {
  const read = await load<workspaceListQuery>(WorkspaceList, {});
  const names = (): string[] => read().viewer.workspaces.edges.map(({ node }) => node.name);
  const connections = [read().viewer.workspaces.__id];
  for (const name of ['Shelves', 'Counters'])
    await commit<workspaceListCreateMutation>({
      mutation: CreateWorkspace,
      variables: { input: { name }, connections },
    }).done;
  expect(names()).toEqual(['Shelves', 'Counters']);
  const workspaceId = read().viewer.workspaces.edges[0]?.node.id ?? '';
  await commit<workspaceListDeleteMutation>({
    mutation: DeleteWorkspace,
    variables: { input: { workspaceId }, connections },
  }).done;
  expect(names()).toEqual(['Counters']);
});

it('follows what others change', async () => {
  const list = await openFeeds({ first: 8 });
  const failed = vi.fn();
  const subscription = requestSubscription(environment, {
    subscription: FeedChanged,
    variables: { after: list.changeCursor() },
    onError: failed,
  });
  await gateway.touch(7);
  await vi.waitUntil(() => list.feed(7)?.status === 'REVIEWED', { timeout: 20_000 });
  subscription.dispose();
  expect(failed).not.toHaveBeenCalled();
});
