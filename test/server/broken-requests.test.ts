import { Writable } from 'node:stream';
import { createYoga, type Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { refuseBrokenRequests } from '../../src/server/graphql/refuse-broken-requests.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeWs, wsClient } from '../support/streams.ts';

let app: TestApp;
let ana: string;
let lines: string[] = [];
const log = pino(
  { level: 'error', base: null },
  new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(String(chunk));
      done();
    },
  }),
);

beforeAll(async () => {
  app = await startApp({ log, env: { RATE_LIMIT: '5' } });
  await app.load([...organisation, feed(1), feed(2)]);
});
beforeEach(async () => {
  lines = [];
  // Each has the calls of a session of its own.
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const boundary = 'x-boundary-x';
const multipart = (parts: Record<string, string>): string =>
  `${Object.entries(parts)
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')}--${boundary}--\r\n`;
const query = '{ viewer { login } }';
const operations = JSON.stringify({ query });

it.each([
  ['variables of a GET', `?query=${encodeURIComponent(query)}&variables=[`, undefined],
  ['extensions of a GET', `?query=${encodeURIComponent(query)}&extensions={`, undefined],
  ['variables of a form', '', ['application/x-www-form-urlencoded', 'query={a}&variables={']],
  ['extensions of a form', '', ['application/x-www-form-urlencoded', 'query={a}&extensions=x']],
  ...[
    { operations: '{' },
    { operations: 'null' },
    { operations: '1' },
    { operations, map: '{' },
    { operations, map: '{"0":1}' },
    { operations, map: '{"0":[1]}' },
    { operations, map: '{"0":null}' },
    { operations: 'null', map: '{"0":["variables.a"]}' },
    { operations: '"x"', map: '{"0":["variables.a"]}' },
    { map: '{}' },
  ].map((parts): [string, string, string[]] => [
    `multipart ${JSON.stringify(parts)}`,
    '',
    [`multipart/form-data; boundary=${boundary}`, multipart(parts)],
  ]),
] as [string, string, string[] | undefined][])(
  'broken %s is refused, and no failure of ours',
  async (_, search, post) => {
    for (const accept of ['application/json', 'text/event-stream', '*/*']) {
      const answer = await app.rest(`/graphql${search}`, ana, {
        ...(post && { method: 'POST', body: post[1] ?? '' }),
        headers: { accept, ...(post && { 'content-type': post[0] ?? '' }) },
      });
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text).toMatch(/"code":"[A-Z_]+"/);
    }
    expect(lines).toEqual([]);
  },
);

it('a multipart request of too many parts is refused', async () => {
  const fields = Array.from({ length: 50 }, (_, at) => [`${at}`, '']);
  const { text } = await app.rest('/graphql', ana, {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: multipart({ operations, ...Object.fromEntries(fields) }),
  });
  expect(text).toContain('"message":"A multipart request has at most 50 parts"');
  expect(text).toContain('"code":"BAD_REQUEST"');
});

/** Creates a workspace whose name ends with this text, by each type of request that may create one. */
const creations = (end: string): [path: string, type: string, body: string][] => {
  const create = (name: string): string =>
    `mutation { createWorkspace(input: { name: ${name} }) { __typename } }`;
  const gql = JSON.stringify({ query: create(`"caf${end}"`) });
  const given = JSON.stringify({
    query: create('$name').replace('mutation', 'mutation ($name: String!)'),
    variables: { name: `caf${end}` },
  });
  const escaped = encodeURIComponent(end);
  return [
    ['/graphql', 'application/json', gql],
    ['/graphql', 'application/json; charset=iso-8859-1', given],
    ['/graphql', 'application/graphql+json', gql],
    ['/graphql', 'application/graphql', create(`"caf${end}"`)],
    ['/graphql', 'application/x-www-form-urlencoded', `query=${create(`"caf${escaped}"`)}`],
    ['/api/Workspaces/create', 'application/json', JSON.stringify({ name: `caf${end}` })],
    ['/api/Workspaces/create', 'application/x-www-form-urlencoded', `name=caf${escaped}`],
  ];
};

it('text that is not UTF-8 is refused: nothing else is stored in its place', async () => {
  const send = async (
    [path, type, body]: [string, string, string],
    encoding: 'latin1' | 'utf8',
  ): Promise<unknown[]> => {
    const headers = { 'content-type': type };
    const bytes = Buffer.from(body, encoding);
    const answer = await app.rest(path, ana, { method: 'POST', headers, body: bytes });
    return [path, type, answer.status, answer.text.includes('The body is not valid UTF-8')];
  };
  for (const [path, type, body] of creations('é'))
    expect(await send([path, type, body.replace('%C3%A9', '%E9')], 'latin1')).toEqual([
      path,
      type,
      400,
      true,
    ]);
  const { prisma } = app.services.db;
  expect(await prisma.workspace.findMany({ select: { name: true } })).toEqual([]);
  for (const [path, type, body] of creations('é'))
    expect(await send([path, type, body], 'utf8')).toEqual([path, type, 200, false]);
  const stored = await prisma.workspace.findMany({ select: { name: true } });
  expect(stored).toEqual(creations('é').map(() => ({ name: 'café' })));
});

it('a byte order mark before JSON is no part of it', async () => {
  for (const type of ['application/json', 'application/graphql+json']) {
    const headers = { 'content-type': type };
    const body = `\ufeff${operations}`;
    const { json } = await app.rest('/graphql', ana, { method: 'POST', headers, body });
    expect(json.data).toEqual({ viewer: { login: 'ana' } });
  }
});

it('a failure of ours while a request is read is a failure, and no fault of the client', async () => {
  const failing: Plugin = {
    onRequestParse: ({ setRequestParser }) =>
      setRequestParser(() => {
        throw new TypeError('a fault in our own code');
      }),
  };
  const yoga = createYoga({ plugins: [failing, refuseBrokenRequests()], logging: false });
  const answer = await yoga.fetch('http://gateway/graphql?query={__typename}');
  expect(answer.status).toBe(500);
});

/** Opens a WebSocket and sends a message as it is. */
async function sendOverWebSocket(message: string | Buffer) {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(message);
  return { socket, closed };
}

it('a message over WebSocket that is no operation ends the connection, not the gateway', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const message of [
    '',
    '{',
    'null',
    '[]',
    '{"type":"subscribe"}',
    '{"type":1}',
    '"\\ud800"',
    '{"type":"connection_ack"}',
    '{"type":"next","id":"1","payload":{}}',
    Buffer.from('{"type":"ping","payload":{"a":"é"}}', 'latin1'),
  ]) {
    const { closed } = await sendOverWebSocket(message);
    expect(await closed, String(message)).toBe(4400);
  }
  expect(printed.mock.calls).toEqual([]);
  printed.mockRestore();
  expect((await app.rest('/healthz')).status).toBe(200);
  expect(lines).toEqual([]);
});

it('a ping over WebSocket that is nested very deep is answered, where Node can read it, or ends the connection', async () => {
  const nested = '['.repeat(20_000) + ']'.repeat(20_000);
  const message = `{"type":"ping","payload":{"a":${nested}}}`;
  const { socket, closed } = await sendOverWebSocket(message);
  const pong = new Promise<string>((resolve) =>
    socket.once('message', (data: Buffer) => resolve(data.toString())),
  );
  expect([4400, message.replace('ping', 'pong')]).toContain(await Promise.race([closed, pong]));
  socket.close();
  expect((await app.rest('/healthz')).status).toBe(200);
  expect(lines).toEqual([]);
});

it('an id that is taken over WebSocket is refused with 4409, however long it is', async () => {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  send({ type: 'connection_init', payload: { authorization: `Bearer ${ana}` } });
  await new Promise((resolve) => socket.once('message', resolve));
  const payload = { query: 'subscription { feedChanged { __typename } }' };
  for (let times = 0; times < 2; times++) send({ type: 'subscribe', id: 'x'.repeat(200), payload });
  expect(await closed).toBe(4409);
  expect(lines).toEqual([]);
});

it('an answer of 5xx leaves a line at error level, which has its request id and no value', async () => {
  const { rows, read } = app.services.db;
  const fail = (): Promise<never> => Promise.reject(new Error('connection lost'));
  Object.assign(app.services.db, { rows: fail, read: fail });
  try {
    for (const path of [
      '/readyz',
      '/task/v1/feeds/list?feed_title=private',
      '/graphql?query={__typename}',
    ]) {
      lines = [];
      const answer = await app.rest(path, ana);
      expect([path, answer.status >= 500]).toEqual([path, true]);
      await expect.poll(() => lines.length).toBeGreaterThan(0);
      expect(lines.join('')).toContain(answer.headers.get('x-request-id'));
      expect(lines.join('')).not.toMatch(/private/);
      expect(lines.join('')).not.toContain(ana);
    }
  } finally {
    Object.assign(app.services.db, { rows, read });
  }
});

it('operations over WebSocket count for the session as over HTTP, and are refused in the same words', async () => {
  const client = wsClient(app, { 'x-service-csrf-token-x': ana });
  const answers = await Promise.all(
    Array.from({ length: 120 }, async () => {
      const stream = subscribeWs(client, query);
      const ended: any = await stream.closed;
      return (ended as { extensions: unknown }[] | undefined)?.[0]?.extensions;
    }),
  );
  const refused = answers.filter((one) => one !== undefined);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(50);
  expect(refused.length).toBeGreaterThan(0);
  const http = await app.gql(query, {}, ana);
  const retryAfter = expect.any(Number);
  for (const extensions of [refused[0], http.errors?.[0]?.extensions])
    expect(extensions).toMatchObject({ code: 'RATE_LIMITED', legacyCode: 'E902', retryAfter });
  await client.dispose();
});

it('ids need no padding, and one that is none leaves the others alone', async () => {
  const id = Buffer.from('Feed:1').toString('base64').replace(/=+$/, '');
  const padded = Buffer.from('Feed:1').toString('base64');
  const ids = [
    id,
    'garbage',
    '',
    '\0',
    'VmlldzoxMg',
    Buffer.from('Viewer:1').toString('base64'),
    padded,
  ];
  const { data } = await app.gql(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Feed { feedKey } } }',
    { ids },
    ana,
  );
  expect(data.nodes).toEqual([{ feedKey: 1 }, null, null, null, null, null, { feedKey: 1 }]);
  const one = await app.gql('query ($id: ID!) { node(id: $id) { id } }', { id }, ana);
  expect(one.data.node.id).toBe(padded);
  const none = await app.gql('{ node(id: "garbage") { id } }', {}, ana);
  expect(none.errors?.[0]?.extensions['code']).toBe('BAD_USER_INPUT');
  const state = await app.gql(
    'mutation ($ids: [ID!]!) { setFeedState(input: { feedIds: $ids, pinned: true }) { ... on SetFeedStatePayload { results { feed { pin } } } } }',
    { ids: [id] },
    ana,
  );
  expect(state.data.setFeedState.results).toEqual([{ feed: { pin: true } }]);
});
