import { afterAll, beforeAll, expect, expectTypeOf, it } from 'vitest';
import { createClient, GatewayError, type Client } from '../../src/client/create-client.ts';
import { graphql } from '../../src/generated/client/gql.ts';
import type { FeedStatus } from '../../src/generated/client/graphql.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

const Me = graphql(`
  query Me {
    viewer { login timeZone }
  }
`);
const MyFeeds = graphql(`
  query MyFeeds($first: Int, $after: Cursor, $filter: FeedFilter) {
    viewer {
      feeds(first: $first, after: $after, filter: $filter) {
        nodes { feedKey feedTitle status endsAt }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);
const Complete = graphql(`
  mutation Complete($input: ChangeFeedStatusInput!) {
    changeFeedStatus(input: $input) {
      ... on ChangeFeedStatusPayload { feed { status version } }
      ... on UserError { code legacyCode message }
    }
  }
`);

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    ...Array.from({ length: 8 }, (_, index) =>
      feed(index + 1, { feed_title: `Feed ${index + 1}`, status: 'P' }),
    ),
  ]);
  client = createClient({ url: `${app.url}/graphql`, token: await app.signedIn('ana') });
});
afterAll(() => app.close());

it('returns typed data', async () => {
  const { viewer } = await client.request(Me);
  expectTypeOf(viewer.timeZone).toEqualTypeOf<string>();
  expect(viewer).toEqual({ login: 'ana', timeZone: 'Europe/Berlin' });
  const { viewer: mine } = await client.request(MyFeeds, {
    first: 1,
    filter: { statuses: ['IN_PROGRESS'] },
  });
  expectTypeOf(mine.feeds.nodes).toEqualTypeOf<
    { feedKey: number; feedTitle: string; status: FeedStatus; endsAt: string | null }[]
  >();
  expect(mine.feeds.nodes).toHaveLength(1);
  // @ts-expect-error -- a variable of another type does not compile
  await expect(client.request(MyFeeds, { first: 'two' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  });
  // @ts-expect-error -- nor does a call without a required variable
  await expect(client.request(Complete)).rejects.toBeInstanceOf(GatewayError);
});

it('returns the expected failures of a mutation as data', async () => {
  const feedId = Buffer.from('Feed:1').toString('base64');
  const done = await client.request(Complete, { input: { feedId, status: 'COMPLETED' } });
  expect(done.changeFeedStatus).toEqual({ feed: { status: 'COMPLETED', version: 2 } });
  const late = await client.request(Complete, {
    input: { feedId, status: 'COMPLETED', expectedVersion: 1 },
  });
  expect(late.changeFeedStatus).toMatchObject({
    code: expect.any(String),
    message: expect.any(String),
  });
});

it('walks the pages of a connection, and stops reading when its caller does', async () => {
  let requests = 0;
  const counting = createClient({
    url: `${app.url}/graphql`,
    token: await app.signedIn('ana'),
    fetch: (...args) => (requests++, fetch(...args)),
  });
  const keys: number[] = [];
  const sizes: number[] = [];
  for await (const { nodes } of counting.pages(
    MyFeeds,
    { first: 3 },
    ({ viewer }) => viewer.feeds,
  )) {
    sizes.push(nodes.length);
    keys.push(...nodes.map(({ feedKey }) => feedKey));
  }
  expect([sizes, keys.toSorted(), requests]).toEqual([[3, 3, 2], [1, 2, 3, 4, 5, 6, 7, 8], 3]);
  for await (const page of counting.pages(MyFeeds, { first: 3 }, ({ viewer }) => viewer.feeds))
    if (page.nodes.length > 0) break;
  expect(requests).toBe(4);
});

it('throws a GatewayError with both codes', async () => {
  const session: { token?: string } = {};
  const stranger = createClient({ url: `${app.url}/graphql`, token: () => session.token });
  await expect(stranger.request(Me)).rejects.toMatchObject({
    name: 'GatewayError',
    code: 'UNAUTHENTICATED',
    legacyCode: 'E202',
    message: 'Session token missing or invalid',
  });
  session.token = await app.signedIn('ana');
  await expect(stranger.request(Me)).resolves.toMatchObject({ viewer: { login: 'ana' } });
  await expect(client.request(MyFeeds, { first: 101 })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    legacyCode: 'E900',
    faults: [{ path: ['viewer', 'feeds'] }],
  });
  await expect(client.request(MyFeeds, { after: 'x' })).rejects.toMatchObject({
    code: 'BAD_CURSOR',
    legacyCode: 'E901',
  });
  await expect(
    client.request(MyFeeds, { filter: { feedTitle: 'x'.repeat(1_100_000) } }),
  ).rejects.toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE', legacyCode: 'E903' });
});

it('reports an answer that is none of ours by its status', async () => {
  const proxy = createClient({
    url: app.url,
    fetch: () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 })),
  });
  await expect(proxy.request(Me)).rejects.toMatchObject({
    status: 502,
    code: 'HTTP_502',
    legacyCode: undefined,
  });
});

it('says that a reply broke off, reads again and never writes again', async () => {
  let calls = 0;
  /** The first reply ends in its middle. */
  const breaking: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    if (calls++ > 0) return response;
    const half = new Uint8Array(await response.arrayBuffer(), 0, 10);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(half),
      pull: (controller) => controller.error(new TypeError('terminated')),
    });
    return new Response(body, response);
  };
  const flaky = createClient({
    url: `${app.url}/graphql`,
    token: await app.signedIn('ana'),
    fetch: breaking,
    retry: { firstMs: 1 },
  });
  await expect(flaky.request(Me)).resolves.toMatchObject({ viewer: { login: 'ana' } });
  expect(calls).toBe(2);
  calls = 0;
  const feedId = Buffer.from('Feed:2').toString('base64');
  await expect(
    flaky.request(Complete, { input: { feedId, status: 'COMPLETED' } }),
  ).rejects.toMatchObject({ name: 'TypeError', message: 'the reply broke off' });
  expect(calls).toBe(1);
});
