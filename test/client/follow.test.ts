import { afterAll, beforeAll, expect, expectTypeOf, it, vi } from 'vitest';
import {
  createClient,
  GatewayError,
  ResyncRequiredError,
  type ClientOptions,
} from '../../src/client/create-client.ts';
import { graphql } from '../../src/generated/client/gql.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

const Position = graphql(`
  query Position {
    viewer { feeds(first: 0) { changeCursor } }
  }
`);
const Changed = graphql(`
  subscription Changed($after: ChangeCursor) {
    feedChanged(after: $after) {
      __typename
      ... on FeedUpserted { cursor feed { feedKey status } }
      ... on FeedRemoved { cursor feedKey }
      ... on ResyncRequired { oldestCursor }
      ... on FeedStreamEnded { cursor }
    }
  }
`);
const Pages = graphql(`
  query Pages($last: Int, $before: Cursor) {
    viewer { feeds(last: $last, before: $before) { nodes { feedKey } pageInfo { hasPreviousPage startCursor } } }
  }
`);

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    ...Array.from({ length: 8 }, (_, index) => feed(index + 1, { status: 'P' })),
  ]);
  token = await app.signedIn('ana');
});
afterAll(() => app.close());

const clientWith = (options: Partial<ClientOptions> = {}) =>
  createClient({ url: `${app.url}/graphql`, token, retry: { firstMs: 5, mostMs: 20 }, ...options });
const touch = (key: number) =>
  app.services.db.pool.query('UPDATE feed SET version = version + 1 WHERE feed_key = $1', [key]);
const position = async () => (await clientWith().request(Position)).viewer.feeds.changeCursor;

it('pages backward, each page in the order of the list', async () => {
  const pages: number[][] = [];
  for await (const { nodes } of clientWith().pagesBack(
    Pages,
    { last: 3 },
    ({ viewer }) => viewer.feeds,
  ))
    pages.push(nodes.map(({ feedKey }) => feedKey));
  expect(pages).toEqual([
    [6, 7, 8],
    [3, 4, 5],
    [1, 2],
  ]);
});

it('follows changes over dropped connections without losing any', async () => {
  const after = await position();
  let connections = 0;
  // Each connection breaks after its first event.
  const breaking: typeof fetch = async (...args) => {
    connections++;
    const response = await fetch(...args);
    const body = response.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (new TextDecoder().decode(chunk).includes('event: next')) controller.terminate();
        },
      }),
    );
    return new Response(body, response);
  };
  for (const key of [3, 1, 2]) await touch(key);
  const seen: number[] = [];
  for await (const event of clientWith({ fetch: breaking }).follow(
    Changed,
    { after },
    ({ feedChanged }) => feedChanged,
  )) {
    expectTypeOf(event.__typename).toEqualTypeOf<'FeedUpserted' | 'FeedRemoved'>();
    if (event.__typename === 'FeedUpserted') seen.push(event.feed.feedKey);
    if (seen.length === 3) await touch(7);
    if (seen.includes(7)) break;
  }
  expect([...new Set(seen)].sort()).toEqual([1, 2, 3, 7]);
  expect(connections).toBeGreaterThan(1);
});

it('takes a silent stream for broken, and resumes', async () => {
  const after = await position();
  await touch(4);
  let connections = 0;
  const silentFirst: typeof fetch = (url, init) => {
    if (connections++ > 0) return fetch(url, init);
    const body = new ReadableStream({
      start: (controller) =>
        init!.signal!.addEventListener('abort', () => controller.error(init!.signal!.reason)),
    });
    return Promise.resolve(
      new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
  };
  for await (const event of clientWith({ fetch: silentFirst, quietMs: 500 }).follow(
    Changed,
    { after },
    ({ feedChanged }) => feedChanged,
  )) {
    expect(event).toMatchObject({ __typename: 'FeedUpserted', feed: { feedKey: 4 } });
    break;
  }
  expect(connections).toBe(2);
});

it('throws when a position is too old, when the gateway refuses, and when the caller errs', async () => {
  const after = await position();
  const first = (options: Partial<ClientOptions>, from: string) =>
    clientWith(options)
      .follow(Changed, { after: from }, ({ feedChanged }) => feedChanged)
      .next();
  const ofAnotherLog = Buffer.from(JSON.stringify([1, 'ffffffff', '9:9:'])).toString('base64url');
  await expect(first({}, ofAnotherLog)).rejects.toBeInstanceOf(ResyncRequiredError);
  await expect(first({ token: 'none' }, after)).rejects.toMatchObject({
    name: 'GatewayError',
    code: 'UNAUTHENTICATED',
  });
  await touch(5);
  await expect(
    clientWith()
      .follow(Changed, { after }, () => {
        throw new TypeError('mine');
      })
      .next(),
  ).rejects.toThrow('mine');
});

it('ends when its signal is aborted, with the reason of the signal', async () => {
  const stop = new AbortController();
  const events = clientWith().follow(
    Changed,
    { after: await position() },
    ({ feedChanged }) => feedChanged,
    { signal: stop.signal },
  );
  // A position may lie before a change that came just before it.
  const readAll = async (): Promise<void> => {
    for await (const event of events) expect(event.__typename).toBe('FeedUpserted');
  };
  const reading = readAll();
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await expect(reading).rejects.toThrow('enough');
  await expect(
    clientWith().request(Position, {}, { signal: AbortSignal.abort(new Error('never')) }),
  ).rejects.toThrow('never');
});

const SetPin = graphql(`
  mutation SetPin($input: SetFeedStateInput!) {
    setFeedState(input: $input) { __typename }
  }
`);

it('tries reads again as Retry-After says, a few times, and writes never', async () => {
  let calls = 0;
  const busy =
    (retryAfter: string): typeof fetch =>
    () => (
      calls++,
      Promise.resolve(
        Response.json(
          { errors: [{ message: 'busy', extensions: { code: 'RATE_LIMITED' } }] },
          { status: 429, headers: { 'retry-after': retryAfter } },
        ),
      )
    );
  await expect(clientWith({ fetch: busy('0') }).request(Position)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterMs: 0,
  });
  expect(calls).toBe(3);
  await expect(clientWith({ fetch: busy('3600') }).request(Position)).rejects.toMatchObject({
    retryAfterMs: 3_600_000,
  });
  expect(calls).toBe(4);
  await expect(
    clientWith({ fetch: busy('0') }).request(SetPin, { input: { feedIds: [], pinned: true } }),
  ).rejects.toBeInstanceOf(GatewayError);
  expect(calls).toBe(5);
  const flaky: typeof fetch = (...args) =>
    calls++ < 6 ? Promise.reject(new TypeError('fetch failed')) : fetch(...args);
  await expect(clientWith({ fetch: flaky }).request(Position)).resolves.toHaveProperty('viewer');
});

it('waits where Retry-After is longer than any timer, and does not ask again at once', async () => {
  const stop = new AbortController();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const long = () => timers.mock.calls.flatMap(([, ms = 0]) => (ms > 1e9 ? ms : []));
  try {
    const headers = { 'retry-after': '9'.repeat(400) };
    const busy: typeof fetch = () => Promise.resolve(new Response('', { status: 503, headers }));
    const following = clientWith({ fetch: busy, quietMs: Infinity })
      .follow(Changed, { after: 'x' }, ({ feedChanged }) => feedChanged, { signal: stop.signal })
      .next();
    await vi.waitFor(() => expect(long().length).toBeGreaterThan(1), 20_000);
    stop.abort(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
    // For silence, and for the pause.
    expect(long()).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  } finally {
    timers.mockRestore();
  }
});
