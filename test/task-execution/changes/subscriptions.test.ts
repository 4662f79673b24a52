import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { bytesSent } from '../../../src/server/http/answers-sent.ts';
import { NOON, startApp, type TestApp } from '../../support/app.ts';
import { logHead } from '../../../src/task-execution/change-log/changes.sql.ts';
import { interceptRows } from '../../support/intercept-rows.ts';
import { hasServer } from '../../support/migrated.ts';
import { feed, organisation } from '../../support/records.ts';
import {
  subscribeByGet,
  subscribeSse,
  subscribeWs,
  wsClient,
  type Stream,
} from '../../support/streams.ts';

const CHANGED = `subscription ($after: ChangeCursor, $filter: FeedFilter) { feedChanged(after: $after, filter: $filter) { __typename
  ... on FeedUpserted { cursor changedAt feed { feedKey status pin parent { feedKey } } } ... on FeedRemoved { cursor feedKey feedId } ... on ResyncRequired { reason legacyCode oldestCursor } ... on FeedStreamEnded { cursor cause } } }`;
const COUNTS =
  'subscription { feedCountsChanged(startDate: "2026-12-01", endDate: "2026-12-01") { total priorities { priority count } } }';
let app: TestApp;
let ana: string;
let bob: string;

beforeAll(async () => {
  app = await startApp({ env: { STREAM_STALL_MS: '1000' } });
  await app.load([
    ...organisation,
    ...Array.from({ length: 9 }, (_, i) =>
      feed(i + 1, { priority: (i % 3) + 1, end_date_time: '2026-12-01T10:00:00Z' }),
    ),
    feed(20, { owner: 'bob', assignments: [{ user: 'ana' }, { user: 'tess' }] }),
    feed(21, { owner: 'bob', assignments: [{ user: 'ana' }, { user: 'tess' }] }),
    { ...feed(900), domain: 'rival', owner: 'eve' },
  ]);
  [ana, bob] = [await app.signedIn('ana'), await app.signedIn('bob')];
});
afterAll(() => app.close());

/** Something that others wait for. */
function signal(): { done: Promise<void>; go: () => void } {
  let go = (): void => undefined;
  const done = new Promise<void>((resolve) => (go = resolve));
  return { done, go: () => go() };
}

async function sql(text: string, params: unknown[] = []): Promise<void> {
  await app.services.db.pool.query(text, params);
}
const events = (stream: Stream): any[] =>
  stream.results.flatMap((result) => result?.data?.feedChanged ?? []);
const keysOf = (stream: Stream): number[] =>
  events(stream).map((event) => event.feed?.feedKey ?? event.feedKey);
/** A stream is live once it has told of changes made after it was opened, the last of them included. */
async function live(stream: Stream): Promise<Stream> {
  const change = (key: number): Promise<void> =>
    sql('UPDATE feed SET version = version + 1 WHERE feed_key = $1', [key]);
  for (let tries = 0; tries < 50 && !keysOf(stream).includes(20); tries++) {
    await change(20);
    await stream.until(() => keysOf(stream).includes(20), 100).catch(() => {});
  }
  await change(21);
  return stream.until(() => keysOf(stream).at(-1) === 21).then(() => stream);
}

describe.each(['SSE', 'WebSocket'] as const)('F264 feedChanged over %s', (kind) => {
  const closers: (() => void)[] = [];
  const open = async (
    token: string,
    variables: Record<string, unknown> = {},
    query = CHANGED,
  ): Promise<Stream> => {
    if (kind === 'SSE') return subscribeSse(app, token, query, variables);
    const client = wsClient(app, { 'X-service-csrf-token-X': token });
    closers.push(() => void client.dispose());
    return subscribeWs(client, query, variables);
  };
  afterAll(() => closers.forEach((close) => close()));

  it('tells of each change at once, to those who may see the feed and to nobody else', async () => {
    const [mine, his] = [await live(await open(ana)), await open(bob)];
    await live(his);
    const started = performance.now();
    const told = (): number => keysOf(mine).filter((key) => key === 1).length;
    for (let change = 1; change <= 8; change++) {
      await sql(`UPDATE feed SET status = 'R', version = version + 1 WHERE feed_key IN (1, 900)`);
      await mine.until(() => told() === change);
    }
    // Who only looks, every two seconds, needs that long for seven.
    expect(performance.now() - started).toBeLessThan(14_000);
    expect(events(mine).at(-1)).toMatchObject({
      __typename: 'FeedUpserted',
      feed: { feedKey: 1, status: 'REVIEWED', pin: false },
    });
    expect(keysOf(mine)).not.toContain(900);
    expect(keysOf(his)).not.toContain(1);
    mine.close();
    his.close();
    await mine.until(() => app.services.changes.open === 0);
  });

  it('F265 replays what came after a position, then goes on live', async () => {
    const { data } = await app.gql('{ viewer { feeds { changeCursor } } }', {}, ana);
    await sql(`UPDATE feed SET status = 'P', version = version + 1 WHERE feed_key IN (2, 3)`);
    await sql('UPDATE feed SET deleted_at = now() WHERE feed_key = 4');
    const stream = await open(ana, { after: data.viewer.feeds.changeCursor });
    await stream.until(() => events(stream).length >= 3);
    if (stream.isClosed()) throw new Error('closed early');
    const [first, middle] = keysOf(stream);
    expect([first, middle].sort()).toEqual([2, 3]);
    expect(events(stream)[2]).toMatchObject({ __typename: 'FeedRemoved', feedKey: 4 });
    await sql('UPDATE feed SET deleted_at = NULL WHERE feed_key = 4');
    await stream.until(() => keysOf(stream).length >= 4);
    const second = await open(ana, { after: events(stream)[1].cursor });
    await second.until(() => new Set(keysOf(second)).has(4));
    expect(keysOf(second)).not.toContain(first);
    expect(keysOf(second)).not.toContain(middle);
    stream.close();
    second.close();
  });

  it('D-53 per-user state reaches its user; a filter is followed in and out', async () => {
    const pinned = await open(ana, { filter: { pin: true } });
    const his = await live(await open(bob));
    const heard = events(his).length;
    const set = (value: boolean): Promise<unknown> =>
      app.gql(
        `mutation { setFeedState(input: { feedIds: ["${btoa('Feed:20')}"], pinned: ${value} }) { __typename } }`,
        {},
        ana,
      );
    await set(true);
    await pinned.until(() => events(pinned).at(-1)?.__typename === 'FeedUpserted');
    expect(events(pinned).at(-1)).toMatchObject({
      __typename: 'FeedUpserted',
      feed: { feedKey: 20, pin: true },
    });
    await set(false);
    await pinned.until(() => events(pinned).at(-1).__typename === 'FeedRemoved');
    expect(events(his)).toHaveLength(heard);
    pinned.close();
    his.close();
  });

  it('a stream that was idle for longer than the stall time is not too slow for two changes at once', async () => {
    const stream = await live(await open(ana));
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await sql('UPDATE feed SET version = version + 1 WHERE feed_key IN (5, 6)');
    await stream.until(() => keysOf(stream).includes(5) && keysOf(stream).includes(6));
    expect(events(stream).map((event) => event.__typename)).not.toContain('FeedStreamEnded');
    stream.close();
  });

  it('F160 a position of another log is ResyncRequired, and then the end', async () => {
    const after = Buffer.from(JSON.stringify([1, 'ffffffff', '9:9:'])).toString('base64url');
    const stream = await open(ana, { after });
    await stream.closed;
    expect(events(stream)).toMatchObject([{ __typename: 'ResyncRequired', legacyCode: 'E116' }]);
    expect(stream.results.at(-1)).toBe('complete');
  });

  it('whoever changes department is told to reload', async () => {
    const [stream, counts] = [await live(await open(bob)), await open(bob, {}, COUNTS)];
    await counts.until((results) => results.length === 1);
    await sql(
      `UPDATE user_dept SET is_home = NOT is_home WHERE user_id = (SELECT id FROM "user" WHERE login = 'bob')`,
    );
    await Promise.all([stream.closed, counts.closed]);
    expect(events(stream).at(-1)).toMatchObject({ __typename: 'ResyncRequired' });
    expect(counts.results.flatMap((result) => result?.errors ?? [])).toMatchObject([
      { extensions: { code: 'RESYNC_REQUIRED', legacyCode: 'E116' } },
    ]);
  });

  it('so is everybody in a unit whose time zone changes, but who has one of their own', async () => {
    await app.load([
      { record: 'user', domain: 'acme', login: 'bob', time_zone_long: 'Europe/Paris' },
    ]);
    const [stream, counts] = [await live(await open(ana)), await open(ana, {}, COUNTS)];
    const his = await live(await open(bob));
    await counts.until((results) => results.length === 1);
    await app.load([{ record: 'unit', domain: 'acme', name: 'Berlin', time_zone: 'Asia/Tokyo' }]);
    await Promise.all([stream.closed, counts.closed]);
    expect(events(stream).at(-1)).toMatchObject({ __typename: 'ResyncRequired' });
    expect(counts.results.at(-2)?.errors).toMatchObject([
      { extensions: { code: 'RESYNC_REQUIRED' } },
    ]);
    await sql('UPDATE feed SET version = version + 1 WHERE feed_key = 20');
    await his.until(() => keysOf(his).includes(20));
    his.close();
    await app.load([
      { record: 'unit', domain: 'acme', name: 'Berlin', time_zone: 'Europe/Berlin' },
    ]);
  });

  it.runIf(hasServer())('so is who signed in before the change was committed', async () => {
    const ofTess = `user_id = (SELECT id FROM "user" WHERE login = 'tess')`;
    await app.load([
      { record: 'user', domain: 'acme', login: 'tess', depts: [{ name: 'Office' }] },
    ]);
    await sql(`DELETE FROM session WHERE ${ofTess}`);
    const client = await app.services.db.pool.connect();
    try {
      await client.query(`BEGIN; DELETE FROM user_dept WHERE ${ofTess}`);
      const stream = await live(await open(await app.signedIn('tess')));
      await client.query('COMMIT');
      await stream.closed;
      expect(events(stream).at(-1)).toMatchObject({ __typename: 'ResyncRequired' });
    } finally {
      client.release(true);
    }
  });

  it('the end of the session ends its streams', async () => {
    const token = await app.signedIn('ana');
    const stream = await live(await open(token));
    await app.gql('mutation { signOut { __typename } }', {}, token);
    await stream.closed;
    expect(stream.results.flatMap((result) => result?.errors ?? [])).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED', legacyCode: 'E202' } },
    ]);
  });

  it('D-70 an open stream does not prolong its session', async () => {
    const token = await app.signedIn('ana');
    const ends = (): Promise<unknown> =>
      app.services.db.rows('SELECT max(expires_at) FROM session WHERE token_hash = $1', [
        Buffer.from(createHash('sha256').update(token).digest()),
      ]);
    const stream = await live(await open(token));
    const before = await ends();
    app.setTime(NOON + 11 * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await ends()).toEqual(before);
    app.setTime(NOON + 12 * 3_600_000 + 1);
    await stream.closed;
    expect(stream.results.flatMap((result) => result?.errors ?? [])).toMatchObject([
      { extensions: { legacyCode: 'E202' } },
    ]);
    app.setTime(NOON);
  });

  it('E901 for a damaged position; no session is refused', async () => {
    const stream = await open(ana, { after: '*' });
    await stream.closed;
    expect(JSON.stringify([stream.results, await stream.closed])).toContain('E901');
    const stranger = await open('x');
    const end = await stranger.closed;
    const reason =
      typeof end === 'object' && end !== null && 'reason' in end ? String(end.reason) : '';
    expect(JSON.stringify([stranger.results, reason])).toMatch(
      kind === 'SSE' ? /E202/ : /Forbidden/,
    );
  });

  it('refuses a document that is too deep or costs too much', async () => {
    const deep = `subscription { feedChanged { ... on FeedUpserted { feed { ${'parent { '.repeat(12)} feedKey ${'}'.repeat(12)} } } } }`;
    const stream = await open(ana, {}, deep);
    expect(JSON.stringify([stream.results, await stream.closed, stream.results])).toContain(
      'DOCUMENT_TOO_LARGE',
    );
    const dear = await open(
      ana,
      {},
      'subscription { feedChanged { ... on FeedUpserted { feed { tasks(first: 100) { nodes { tasks(first: 100) { nodes { feedKey } } } } } } } }',
    );
    expect(JSON.stringify([dear.results, await dear.closed, dear.results])).toContain(
      'COST_LIMIT_EXCEEDED',
    );
  });

  it('feedCountsChanged counts at once and when the counts have changed', async () => {
    const stream = await open(ana, {}, COUNTS);
    await stream.until((results) => results.length === 1);
    const { total } = stream.results[0].data.feedCountsChanged;
    await sql('UPDATE feed SET version = version + 1 WHERE feed_key = 5');
    await sql('UPDATE feed SET deleted_at = now() WHERE feed_key = 5');
    await stream.until((results) => results.length === 2);
    expect(stream.results[1].data.feedCountsChanged.total).toBe(total - 1);
    await sql('UPDATE feed SET deleted_at = NULL WHERE feed_key = 5');
    await stream.until((results) => results.length === 3);
    stream.close();
  });
});

it.each([
  ['two operations and no name', 'query A { __typename } query B { __typename }', {}],
  ['an unknown field', '{ nothing }', {}],
  [
    'a wrong variable',
    'query ($n: Int!) { viewer { feeds(first: $n) { totalCount } } }',
    { n: 'x' },
  ],
  ['an unusable cursor', '{ viewer { feeds(after: "x") { totalCount } } }', {}],
])('WebSocket tells %s as HTTP does, and nothing of HTTP', async (_, query, variables) => {
  const client = wsClient(app, { authorization: `Bearer ${ana}` });
  const stream = subscribeWs(client, query, variables);
  const closed = await stream.closed;
  const errors = Array.isArray(closed) ? closed : stream.results[0].errors;
  const http = (await app.gql(query, variables, ana)).errors;
  expect(errors.map((error: any) => [error.message, error.extensions])).toEqual(
    http?.map(({ message, extensions }) => [message, extensions]),
  );
  await client.dispose();
});

it.each([
  'application/json',
  'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
  'multipart/mixed; boundary=graphql; subscriptionSpec=1.0, application/json',
  'multipart/mixed',
  'text/html',
])('Accept: %s, which allows no events, is refused and leaves no stream open', async (accept) => {
  await expect.poll(() => app.services.changes.open).toBe(0);
  const headers = { accept, 'content-type': 'application/json' };
  const query = 'subscription { feedChanged { __typename } }';
  const post = { method: 'POST', headers, body: JSON.stringify({ query }) };
  const form = {
    method: 'POST',
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ query }).toString(),
  };
  for (const init of [post, form]) {
    const answer = await app.rest('/graphql', ana, init);
    expect(answer.status, answer.text).toBe(406);
    expect(answer.json.errors[0].extensions).toEqual({
      code: 'NOT_ACCEPTABLE',
      legacyCode: 'E900',
    });
  }
  expect(app.services.changes.open).toBe(0);
});

it('WebSocket takes the token as a bearer token or in a header too, and queries and mutations', async () => {
  const client = wsClient(app, { authorization: `Bearer ${ana}` });
  const stream = subscribeWs(client, '{ viewer { login } }');
  await stream.closed;
  expect(stream.results[0]).toMatchObject({
    data: { viewer: { login: 'ana' } },
    extensions: { cost: { requested: 1 } },
  });
  await client.dispose();
});

it('twenty queries at once over one WebSocket warn of nothing', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const client = wsClient(app, { authorization: `Bearer ${ana}` });
  try {
    const streams = Array.from({ length: 20 }, () => subscribeWs(client, '{ viewer { login } }'));
    await Promise.all(streams.map(({ closed }) => closed));
    for (const { results } of streams) expect(results[0].data.viewer.login).toBe('ana');
    // Warnings are emitted by process.nextTick.
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
    await client.dispose();
  }
});

it.skipIf(inject('template').kind === 'embedded')(
  'F265 a transaction that commits late is neither lost nor holds up others, live and polled',
  async () => {
    const stream = await live(await subscribeSse(app, ana, CHANGED));
    const poll = (headers: Record<string, string>): ReturnType<TestApp['rest']> =>
      app.rest('/task/v1/feeds/list-latest?projections=status', ana, { headers });
    const resume = (answer: { headers: Headers }): Record<string, string> => ({
      'x-resume-cursor': answer.headers.get('x-resume-cursor') ?? '',
    });
    const polled = (answer: { json: any }): number[] =>
      (answer.json.feed_list_latest ?? []).map((item: any) => item.feed_key);
    const start = await poll({});
    const seen = events(stream).length;
    const slow = await app.services.db.pool.connect();
    await slow.query('BEGIN');
    await slow.query('UPDATE feed SET version = version + 1 WHERE feed_key = 6');
    await sql('UPDATE feed SET version = version + 1 WHERE feed_key = 7');
    const first = await poll(resume(start));
    expect(polled(first)).toEqual([7]);
    await stream.until(() => keysOf(stream).slice(seen).includes(7));
    await slow.query('COMMIT');
    slow.release();
    expect(polled(await poll(resume(first)))).toEqual([6]);
    await stream.until(() => keysOf(stream).slice(seen).includes(6));
    const again = await subscribeSse(app, ana, CHANGED, {
      after: events(stream)
        .slice(seen)
        .find((event) => event.feed.feedKey === 7).cursor,
    });
    await again.until(() => keysOf(again).includes(6));
    stream.close();
    again.close();
  },
);

it(
  'many changes in one commit all arrive, although they are more than a stream holds',
  { timeout: 60_000 },
  async () => {
    const stream = await live(await subscribeSse(app, ana, CHANGED));
    await app.load(Array.from({ length: 3_000 }, (_, i) => feed(50_000 + i)));
    await stream.until(
      () => new Set(keysOf(stream).filter((key) => key >= 50_000)).size === 3_000,
      30_000,
    );
    stream.close();
  },
);

/** Changes many large feeds again and again until no stream is left. */
async function flood(): Promise<void> {
  await app.load(Array.from({ length: 200 }, (_, i) => feed(60_000 + i)));
  await expect.poll(() => app.services.changes.open).toBe(1);
  const end = Date.now() + 150_000;
  for (let round = 0; app.services.changes.open > 0 && Date.now() < end; round++) {
    await sql(
      'UPDATE feed SET version = version + 1, description = repeat($1, 60000) WHERE feed_key BETWEEN 60000 AND 60199',
      [String(round % 10)],
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(app.services.changes.open).toBe(0);
}

const LARGE = CHANGED.replace('pin', 'pin feedDescription');

it('a reader that takes nothing is let go, and holds nothing', { timeout: 180_000 }, async () => {
  await expect.poll(() => app.services.changes.open).toBe(0);
  const url = new URL(app.url);
  const socket = connect(Number(url.port), url.hostname);
  const body = JSON.stringify({ query: LARGE });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\nx-service-csrf-token-x: ${ana}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.pause();
  await flood();
  const cut = once(socket, 'close');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text = (text + chunk).slice(-1_000)));
  socket.on('error', () => {}).resume();
  await cut;
  expect(text).not.toContain('event: complete');
});

it('a stream that is asked for behind another one on its connection is not begun', async () => {
  await expect.poll(() => app.services.changes.open).toBe(0);
  const { hostname, port } = new URL(app.url);
  const body = JSON.stringify({ query: CHANGED });
  const ask = `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\nx-service-csrf-token-x: ${ana}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const [two, one] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  try {
    two.write(ask + ask);
    await once(two, 'data');
    one.write(ask);
    await once(one, 'data');
    expect(app.services.changes.open).toBe(2);
  } finally {
    two.destroy();
    one.destroy();
  }
  await expect.poll(() => app.services.changes.open).toBe(0);
});

it.each(['GET', 'POST'])(
  'a stream that is asked for by %s, whose client goes while it begins, is not left open',
  async (method) => {
    const { changes } = app.services;
    await expect.poll(() => changes.open).toBe(0);
    const { hostname, port } = new URL(app.url);
    const client = connect(Number(port), hostname);
    const watch = changes.watch.bind(changes);
    const begun = new Promise<void>((resolve) => {
      vi.spyOn(changes, 'watch').mockImplementationOnce(async (given) => {
        const unwatch = await watch(given);
        client.resetAndDestroy();
        await once(client, 'close');
        expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
        resolve();
        return unwatch;
      });
    });
    const body = method === 'GET' ? '' : JSON.stringify({ query: CHANGED });
    const query = method === 'GET' ? `?query=${encodeURIComponent(CHANGED)}` : '';
    client.write(
      `${method} /graphql${query} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\nx-service-csrf-token-x: ${ana}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await begun;
    expect(changes.open).toBe(1);
    await expect.poll(() => changes.open).toBe(0);
  },
);

it('what is written while there are no streams is no lag, and is not sent to the next one', async () => {
  const { changes } = app.services;
  const last = await live(await subscribeSse(app, ana, CHANGED));
  last.close();
  await expect.poll(() => changes.open).toBe(0);
  // As where notifications are switched off.
  await sql(
    `INSERT INTO change_log (domain_id, feed_key, op) SELECT domain_id, feed_key, 'U' FROM feed WHERE feed_key = 1`,
  );
  expect(await changes.lag()).toBe(0);
  const next = await subscribeSse(app, ana, CHANGED);
  await sql('UPDATE feed SET version = version + 1 WHERE feed_key = 21');
  await next.until(() => keysOf(next).length > 0);
  expect(keysOf(next)).toEqual([21]);
  next.close();
});

it(
  'a reader that is too slow is cut off after a position, so that its client comes back',
  { timeout: 60_000 },
  async () => {
    await expect.poll(() => app.services.changes.open).toBe(0);
    const sockets: WebSocket[] = [];
    const client = wsClient(app, { 'X-service-csrf-token-X': ana });
    client.on('opened', (socket) => sockets.push(socket as WebSocket));
    const stream = subscribeWs(client, LARGE);
    await expect.poll(() => app.services.changes.open).toBe(1);
    sockets.forEach((socket) => socket.pause());
    await flood();
    sockets.forEach((socket) => socket.resume());
    expect(await stream.closed).toMatchObject({ code: 1013 });
    expect(events(stream).at(-1)).toMatchObject({
      __typename: 'FeedStreamEnded',
      cause: 'TOO_SLOW',
      cursor: expect.any(String),
    });
    expect(stream.results).not.toContain('complete');
  },
);

/** Forty times the text of its client: results of 2.4 MB. */
const ECHO = `mutation ($text: String) { setFeedState(input: { feedIds: ["${btoa('Feed:9')}"], pinned: true, clientMutationId: $text }) { ... on SetFeedStatePayload { ${Array.from({ length: 40 }, (_, i) => `a${i}: clientMutationId`).join(' ')} } } }`;

/** A WebSocket that has a stream, reads nothing from now on, and has sent sixty operations with large results. */
async function greedy(): Promise<{ socket: WebSocket; done: () => number }> {
  await expect.poll(() => app.services.changes.open).toBe(0);
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', payload: { 'X-service-csrf-token-X': ana } });
  await once(socket, 'message');
  let completed = 0;
  socket.on('message', (data: Buffer) => {
    if (data.subarray(0, 100).includes('"complete"')) completed++;
  });
  send({ type: 'subscribe', id: 'stream', payload: { query: CHANGED } });
  await expect.poll(() => app.services.changes.open).toBe(1);
  socket.pause();
  const payload = { query: ECHO, variables: { text: 'x'.repeat(60_000) } };
  for (let i = 0; i < 60; i++) send({ type: 'subscribe', id: String(i), payload });
  return { socket, done: () => completed };
}

it(
  'a WebSocket whose client takes no results gets no more of them, and is closed',
  { timeout: 60_000 },
  async () => {
    const pinned = (): Promise<number> =>
      app.services.db.prisma.auditLog.count({ where: { action: 'setFeedState' } });
    const before = await pinned();
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { socket } = await greedy();
    await vi.waitFor(
      () => {
        // It answers pings, and more.
        socket.pong();
        expect(app.services.changes.open).toBe(0);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect((await pinned()) - before).toBeGreaterThan(0);
    expect((await pinned()) - before).toBeLessThan(40);
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
    socket.terminate();
  },
);

it('a WebSocket whose client goes on to read gets all results', { timeout: 60_000 }, async () => {
  const { socket, done } = await greedy();
  await expect.poll(bytesSent).toBeGreaterThan(40 * 60_000);
  socket.resume();
  await vi.waitFor(() => expect(done()).toBe(60), { timeout: 30_000 });
  await expect.poll(bytesSent).toBe(0);
  socket.close();
  await once(socket, 'close');
});

it(
  'a user may have 300 streams, with however many sessions; others are not held back',
  { timeout: 60_000 },
  async () => {
    await expect.poll(() => app.services.changes.open).toBe(0);
    const clients = [];
    for (let session = 0; session < 3; session++) {
      const client = wsClient(app, { authorization: `Bearer ${await app.signedIn('ana')}` });
      clients.push(client);
      for (let i = 0; i < 100; i++)
        subscribeWs(client, 'subscription { feedChanged { __typename } }');
      await vi.waitFor(() => expect(app.services.changes.open).toBe((session + 1) * 100), 20_000);
    }
    const client = wsClient(app, { authorization: `Bearer ${await app.signedIn('ana')}` });
    const refused = subscribeWs(client, CHANGED);
    await refused.closed;
    expect(refused.results[0].errors).toMatchObject([
      { message: 'A user may have 300 open streams', extensions: { code: 'RATE_LIMITED' } },
    ]);
    const his = await subscribeSse(app, bob, CHANGED);
    await his.until(() => app.services.changes.open === 301);
    his.close();
    for (const one of [...clients, client]) await one.dispose();
    await expect.poll(() => app.services.changes.open).toBe(0);
    const again = await subscribeSse(app, ana, CHANGED);
    await again.until(() => app.services.changes.open === 1);
    again.close();
  },
);

it('a domain leaves streams to others', async () => {
  await expect.poll(() => app.services.changes.open).toBe(0);
  const { domainId } = await app.services.db.prisma.user.findUniqueOrThrow({
    where: { login: 'ana' },
  });
  const watches = await Promise.all(
    Array.from({ length: 9_000 }, (_, i) =>
      app.services.changes.watch({
        ...{ domainId, userId: 1_000_000 + i, sessionId: randomUUID(), lists: [], homeDeptIds: [] },
        ...{ changed: () => {}, ended: () => {} },
      }),
    ),
  );
  try {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ query: CHANGED }) };
    const refused = await app.rest('/graphql', ana, init);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect([refused.status, refused.text]).toEqual([
      503,
      expect.stringContaining('no more streams'),
    ]);
    const rival = await subscribeSse(app, await app.signedIn('eve'), CHANGED);
    await rival.until(() => app.services.changes.open === 9_001);
    rival.close();
  } finally {
    for (const unwatch of watches) unwatch();
  }
});

it('closing the gateway cuts streams after a position, so that clients come back, in time', async () => {
  const other = await startApp();
  await other.load([...organisation, feed(1)]);
  const token = await other.signedIn('ana');
  const sse = await subscribeSse(other, token, CHANGED);
  const client = wsClient(other, { 'X-service-csrf-token-X': token });
  const ws = subscribeWs(client, CHANGED);
  const counts = await subscribeSse(other, token, COUNTS);
  const byGet = await subscribeByGet(other, token, CHANGED);
  await sse.until(() => other.services.changes.open === 4);
  const started = performance.now();
  const closed = other.close();
  await Promise.all([sse, ws, byGet, counts].map((stream) => stream.closed));
  // After that, all connections are cut.
  expect(performance.now() - started).toBeLessThan(5_000);
  await closed;
  for (const stream of [sse, ws, byGet]) {
    expect(events(stream)).toMatchObject([
      { __typename: 'FeedStreamEnded', cause: 'SHUTDOWN', cursor: expect.any(String) },
    ]);
    expect(stream.results).not.toContain('complete');
  }
  for (const stream of [sse, byGet]) expect(await stream.closed).toBeInstanceOf(Error);
  expect(await counts.closed).toBeInstanceOf(Error);
  expect(await ws.closed).toMatchObject({ code: 1012 });
});

it('the first stream of a gateway misses no change, however late a second look at the log is answered', async () => {
  const first = await startApp();
  try {
    await first.load([...organisation, feed(1)]);
    const token = await first.signedIn('ana');
    const { db } = first.services;
    const { text } = logHead.build({ domainIds: [] });
    const [look, gate, cursor] = [signal(), signal(), signal()];
    let heads = 0;
    const restore = interceptRows(db, (run) => async (sqlText, ...rest) => {
      const at = sqlText === text ? ++heads : 0;
      // The head that the stream begins with, until somebody else looks; that look, until the stream is there and a feed has changed.
      if (at === 1) await look.done;
      if (at === 2) {
        look.go();
        await gate.done;
      }
      const rows = await run(sqlText, ...rest);
      if (at === 3) cursor.go();
      return rows;
    });
    const opened = subscribeSse(first, token, CHANGED);
    const change = (): Promise<unknown> =>
      db.pool.query('UPDATE feed SET version = version + 1 WHERE feed_key = 1');
    // A notification wakes the look.
    await vi.waitUntil(() => heads > 0, { timeout: 10_000 });
    await change();
    await cursor.done;
    await change();
    gate.go();
    const stream = await opened;
    await stream.until(() => keysOf(stream).includes(1));
    restore();
  } finally {
    await first.close();
  }
});
