import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bytesSent } from '../../src/server/http/answers-sent.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { rawHttp } from '../support/raw-http.ts';
import { feed, organisation } from '../support/records.ts';

const FEEDS = 40;
/** So long that a page with forty of it in each row is large. */
const LONG = 'x'.repeat(1_900);
const EDGES =
  'query Feeds($after: Cursor) { viewer { feeds(first: 15, after: $after) { edges { cursor node { id feedTitle } } pageInfo { hasNextPage endCursor } } } }';
const NODES = EDGES.replace('edges { cursor node { id feedTitle } }', 'nodes { id feedTitle }');

let app: TestApp;
let ana: string;
let passOn = (): void => {};
beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    ...Array.from({ length: FEEDS }, (_, n) => feed(n + 1, { feed_title: `${LONG} ${n}` })),
  ]);
  ana = await app.signedIn('ana');
});
afterEach(() => passOn());
afterAll(() => app.close());

interface Edge {
  cursor: string;
  node: { id: string; feedTitle: string };
}

const ask = (
  query: string,
  { variables = {}, token = ana, signal, ...init }: Asked = {},
): Promise<Response> =>
  fetch(`${app.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query, variables }),
    signal: signal ?? null,
    ...init,
    headers: {
      'content-type': 'application/json',
      accept: 'application/jsonl',
      'x-service-csrf-token-x': token,
      ...init.headers,
    },
  });
interface Asked {
  variables?: object;
  token?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  method?: string;
  body?: string;
}

const rowsOf = <Row>(text: string): Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);

/** All edges, in one answer of ordinary JSON. */
const listed = async (): Promise<Edge[]> => {
  const answer = await ask(EDGES.replace('first: 15', 'first: 100'), {
    headers: { accept: 'application/json' },
  });
  const { data } = (await answer.json()) as { data: { viewer: { feeds: { edges: Edge[] } } } };
  return data.viewer.feeds.edges;
};

/** From now on, pages after the first wait until `passOn`: their cursors begin with the end that feeds without one have. */
function holdPages(): void {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const stop = interceptRows(app.services.db, (run) => async (text, params, ...rest) => {
    if (text.includes('feed_listing') && String(params[0]).startsWith('9999')) await held;
    return run(text, params, ...rest);
  });
  passOn = () => {
    stop();
    release();
    passOn = () => {};
  };
}

describe('F263 the rows of a list as JSON Lines', () => {
  it('are all its edges, each in a line, in order', async () => {
    const answer = await ask(EDGES);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const edges = rowsOf<Edge>(await answer.text());
    expect(edges).toHaveLength(FEEDS);
    expect(edges).toEqual(await listed());
  });

  it('are its nodes where no edges are selected, and NDJSON is another name', async () => {
    const answer = await ask(NODES, { headers: { accept: 'application/x-ndjson' } });
    expect(rowsOf(await answer.text())).toEqual((await listed()).map(({ node }) => node));
  });

  it('go on after any of them', async () => {
    const edges = await listed();
    for (const [index, { cursor: after }] of edges.entries())
      expect(rowsOf(await (await ask(EDGES, { variables: { after } })).text())).toEqual(
        edges.slice(index + 1),
      );
  });

  it('are counted in a header where that is asked for', async () => {
    const answer = await ask(EDGES.replace('edges {', 'totalCount edges {'));
    expect(answer.headers.get('x-total-count')).toBe(String(FEEDS));
    expect(rowsOf(await answer.text())).toHaveLength(FEEDS);
    expect((await ask(EDGES)).headers.get('x-total-count')).toBeNull();
  });

  it('are those of any other connection too', async () => {
    await app.signedIn('ana');
    const sessions = (first: number): string =>
      `query ($after: Cursor) { viewer { sessions(first: ${first}, after: $after) { nodes { sessionId } pageInfo { hasNextPage endCursor } } } }`;
    const one = rowsOf(await (await ask(sessions(1))).text());
    expect(one.length).toBeGreaterThan(1);
    expect(one).toEqual(rowsOf(await (await ask(sessions(100))).text()));
  });

  it('are none for an empty list', async () => {
    const answer = await ask(
      EDGES.replace('after: $after', 'after: $after, filter: { favorite: true }'),
    );
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it.each([
    [
      'no $after',
      EDGES.replace('($after: Cursor)', '').replace(', after: $after', ''),
      'BAD_REQUEST',
    ],
    [
      '$after in another place',
      EDGES.replace('after: $after', 'filterId: $after').replace('Cursor', 'ID'),
      'BAD_REQUEST',
    ],
    ['no pageInfo', EDGES.replace('pageInfo { hasNextPage endCursor }', ''), 'BAD_REQUEST'],
    ['no endCursor', EDGES.replace(' endCursor', ''), 'BAD_REQUEST'],
    ['no rows', EDGES.replace('edges { cursor node { id feedTitle } }', ''), 'BAD_REQUEST'],
    [
      'two lists',
      EDGES.replace(
        '{ viewer',
        '{ more: viewer { feeds(first: 1) { nodes { id } pageInfo { hasNextPage endCursor } } } viewer',
      ),
      'BAD_REQUEST',
    ],
    [
      'a mutation',
      'mutation ($after: Boolean!) { signOut { __typename @include(if: $after) } }',
      'BAD_REQUEST',
    ],
    [
      'a subscription',
      'subscription ($after: ChangeCursor) { feedChanged(after: $after) { __typename } }',
      'BAD_REQUEST',
    ],
    [
      'a field that does not exist',
      EDGES.replace('feedTitle', 'title'),
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['too large a page', EDGES.replace('first: 15', 'first: 101'), 'BAD_USER_INPUT'],
  ])('are refused with 400 where the query has %s', async (_, query, code) => {
    const answer = await ask(query);
    const { errors } = (await answer.json()) as { errors: { extensions: { code: string } }[] };
    expect([answer.status, errors[0]?.extensions.code]).toEqual([400, code]);
    // Nothing of it has run.
    expect((await ask(EDGES)).status).toBe(200);
  });

  it('are refused as usual without a session, for a broken body, and for other requests than a POST of JSON over HTTP/1.1', async () => {
    expect((await ask(EDGES, { token: 'a'.repeat(43) })).status).toBe(401);
    expect((await ask(EDGES, { body: '{' })).status).toBe(400);
    expect((await ask(EDGES, { body: '[]' })).status).toBe(400);
    const asGet = await fetch(`${app.url}/graphql?query=${encodeURIComponent(EDGES)}`, {
      headers: { accept: 'application/jsonl', 'x-service-csrf-token-x': ana },
    });
    expect(asGet.status).toBe(406);
    const body = JSON.stringify({ query: EDGES });
    const old = await rawHttp(
      app.url,
      `POST /graphql HTTP/1.0\r\nhost: a\r\ncontent-type: application/json\r\naccept: application/jsonl\r\nx-service-csrf-token-x: ${ana}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      20_000,
    );
    expect(old).toContain(' 406 ');
  });

  it('break off when the session ends, and whoever goes on learns why', async () => {
    const token = await app.signedIn('ana');
    holdPages();
    const answer = await ask(EDGES, { token });
    await app.rest('/session', token, { method: 'DELETE' });
    passOn();
    await expect(answer.text()).rejects.toThrow();
    expect((await ask(EDGES, { token })).status).toBe(401);
  });

  it('count among what is being sent, where pages are large', async () => {
    const titles = Array.from({ length: 40 }, (_, n) => `t${n}: feedTitle`).join(' ');
    holdPages();
    const gone = new AbortController();
    await ask(NODES.replace('feedTitle', titles), { signal: gone.signal });
    expect(bytesSent()).toBeGreaterThan(15 * 40 * LONG.length);
    gone.abort();
    await expect.poll(bytesSent).toBe(0);
  });

  it('come four at a time to one user; who goes away counts no more', async () => {
    holdPages();
    const gone = new AbortController();
    const open: Response[] = [];
    for (let n = 0; n < 4; n++) open.push(await ask(EDGES, { signal: gone.signal }));
    const refused = await ask(EDGES);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    const bob = await app.signedIn('bob');
    expect((await ask(EDGES, { token: bob, signal: gone.signal })).status).toBe(200);
    gone.abort();
    passOn();
    await expect.poll(async () => (await ask(EDGES)).status).toBe(200);
  });
});
