import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const names = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, at) => [`unknown${at}`, 'x']);
const formats: [string, (fields: [string, string][]) => string][] = [
  ['application/json', (fields) => JSON.stringify(Object.fromEntries(fields))],
  ['application/x-www-form-urlencoded', (fields) => String(new URLSearchParams(fields))],
];

it.each(formats)(
  'a body of %s with more than 1000 fields is refused in one line, strict or not',
  async (type, write) => {
    for (const prefer of ['handling=strict', 'handling=lenient']) {
      const post = (count: number) =>
        app.rest('/session', undefined, {
          method: 'POST',
          body: write(names(count)),
          headers: { 'content-type': type, prefer },
        });
      const { status, json } = await post(1_001);
      expect([status, json]).toEqual([
        400,
        { status: 'ER', errorCode: 'E900', response: 'The body has more than 1000 fields' },
      ]);
      expect((await post(1_000)).json.response).toContain('login: ');
    }
  },
);

const USES: Record<string, string> = {
  FeedFilter: '$v',
  'LocalDate!': '{ selectedDates: [$v] }',
  '[Int!]': '{ priorities: $v }',
  String: '{ feedTitle: $v }',
};
const LONG = 'x'.repeat(100_000);
const unknown = Object.fromEntries(names(5_000));

it.each([
  [
    'unknown fields',
    'FeedFilter',
    unknown,
    'Field "unknown0" is not defined by type "FeedFilter".',
  ],
  [
    'one unknown field beside a long text',
    'FeedFilter',
    { feedTitle: LONG, unknown: 1 },
    'Field "unknown" is not defined by type "FeedFilter".',
  ],
  ['a list for an object', 'FeedFilter', Array(5_000).fill(1), 'to be an object'],
  ['a long text for a day', 'LocalDate!', LONG, 'Expected a day'],
  ['a long text for a number, in a list', '[Int!]', [1, LONG], 'Int cannot represent'],
  ['an object for a text', 'String', unknown, 'String cannot represent'],
])('a large variable with %s is refused in one short error', async (_, type, value, message) => {
  const { errors, data } = await app.gql(
    `query ($v: ${type}) { viewer { feeds(filter: ${USES[type]}) { totalCount } } }`,
    { v: value },
  );
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([
    { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(errors![0]!.message).toMatch(/^Variable "\$v.*" got an invalid value; /);
  expect(errors![0]!.message.length).toBeLessThan(400);
});

it('a large variable keeps the code of its scalar, and a good one is taken', async () => {
  const { errors } = await app.gql(
    'mutation ($v: EncryptionChecksum!) { enableEncryption(input: { workspaceId: "x", checksum: $v }) { __typename } }',
    { v: LONG },
  );
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CHECKSUM', legacyCode: 'E900' } }]);
  await app.load(organisation);
  const found = await app.gql(
    'query ($v: FeedFilter) { viewer { feeds(filter: $v) { totalCount } } }',
    { v: { feedTitle: LONG, tags: Array(1_000).fill('tag') } },
    await app.signedIn('ana'),
  );
  expect(found).toMatchObject({ data: { viewer: { feeds: { totalCount: 0 } } } });
});

/** Sends requests to a path but for the last byte of their bodies, and waits until the gateway has read that much. */
async function beginAll(path: string, body: string, count: number): Promise<Socket[]> {
  const { port, hostname } = new URL(app.url);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const taken: Socket[] = [];
  const take = (message: unknown): void => {
    taken.push((message as { socket: Socket }).socket);
  };
  subscribe('net.server.socket', take);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.write(head + body.slice(0, -1));
  await expect
    .poll(() => taken.map(({ bytesRead }) => bytesRead))
    .toEqual(Array(count).fill(head.length + body.length - 1));
  unsubscribe('net.server.socket', take);
  return sockets;
}

it.each(['/session', '/graphql'])(
  'large bodies for %s that arrive together are parsed in a turn each, with others in between',
  async (path) => {
    const body = JSON.stringify({ query: 'x'.repeat(100_000) });
    const sockets = await beginAll(path, body, 8);
    let turn = 0;
    let goesOn = true;
    const count = (): void => {
      turn++;
      if (goesOn) setImmediate(count);
    };
    count();
    const parsedIn: number[] = [];
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
      if (text === body) parsedIn.push(turn);
      return parse(text, reviver) as unknown;
    });
    const answered = sockets.map((socket) => once(socket.resume(), 'close'));
    for (const socket of sockets) socket.write('}');
    await Promise.all(answered);
    vi.restoreAllMocks();
    goesOn = false;
    expect(parsedIn).toHaveLength(8);
    expect(new Set(parsedIn).size).toBe(8);
  },
);
