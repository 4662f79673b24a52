import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/accounts/api-keys/create-api-key.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { dripHttp, rawHttp, statuses } from '../support/raw-http.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
let key: string;

beforeAll(async () => {
  app = await startApp({ env: { REQUEST_TIMEOUT_MS: '1000' } });
  await app.load([...organisation, feed(1)]);
  ana = await app.signedIn('ana');
  key = (
    await createApiKey(app.services, {
      customerId: 'shop',
      domainId: (await app.services.db.prisma.domain.findFirstOrThrow()).id,
    })
  ).key;
});
afterAll(() => app.close());

const families = {
  task: {
    path: '/task/v1/nothing',
    is: (json: any) =>
      json.status === 'ER' &&
      typeof json.errorCode === 'string' &&
      typeof json.response === 'string',
  },
  dataset: {
    path: '/api/Nothing',
    is: (json: any) =>
      json.isSuccess === false &&
      json.data === null &&
      Array.isArray(json.errorCodes) &&
      typeof json.errorMessage === 'string',
  },
  tracker: {
    path: '/api/task-tracker-external/nothing',
    is: (json: any) =>
      typeof json.type === 'string' &&
      typeof json.status === 'number' &&
      Array.isArray(json.errors) &&
      typeof json.requestId === 'string',
  },
};

describe.each(Object.entries(families))('the error body of the %s document', (_, { path, is }) => {
  it('answers unknown paths, also odd ones, with 404', async () => {
    for (const odd of [
      path,
      `${path}/`,
      `${path}/%00`,
      `${path}/%2e%2e/session`,
      `${path}?x=%ff`,
      `${path}/__proto__`,
    ]) {
      const answer = await app.rest(odd, ana);
      expect([odd, answer.status, is(answer.json)]).toEqual([odd, 404, true]);
    }
  });

  it('answers a bad Host, a doubled header and a long URL', async () => {
    const heads = [
      `GET ${path} HTTP/1.1\r\nHost: a b\r\n\r\n`,
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAPI-Key: a\r\nAPI-Key: b\r\n\r\n`,
      `GET ${path}?${'x'.repeat(8_001)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ];
    for (const head of heads) {
      const answer = await rawHttp(app.url, head, 500);
      expect([
        head.slice(0, 80),
        statuses(answer)[0]! < 500,
        is(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))),
      ]).toEqual([head.slice(0, 80), true, true]);
    }
  });
});

it('needs no Host in HTTP/1.0, as of a health check of HAProxy', async () => {
  expect(statuses(await rawHttp(app.url, 'GET /healthz HTTP/1.0\r\n\r\n', 20_000))).toEqual([200]);
  expect(statuses(await rawHttp(app.url, 'GET /healthz HTTP/1.1\r\n\r\n', 20_000))).toEqual([400]);
  const empty = 'GET /healthz HTTP/1.0\r\nHost:\r\n\r\n';
  expect(statuses(await rawHttp(app.url, empty, 20_000))).toEqual([400]);
});

it.each([
  ['task', '/task/v1/feeds/list', 'FROM feed_listing'],
  ['dataset', '/api/Workspaces', 'FROM workspace'],
  ['tracker', '/api/task-tracker-external/tasks/1', 'FROM api_key'],
] as const)(
  'a request of the %s document that takes too long is answered 503 in its shape',
  async (family, path, slow) => {
    const restore = interceptRows(
      app.services.db,
      (rows) =>
        (sql, ...rest) =>
          sql.includes(slow) ? new Promise(() => {}) : rows(sql, ...rest),
    );
    try {
      const answer = await app.rest(path, ana, { headers: { 'API-Key': key, customerId: 'shop' } });
      expect([
        answer.status,
        answer.headers.get('retry-after'),
        families[family].is(answer.json),
      ]).toEqual([503, '2', true]);
    } finally {
      restore();
    }
  },
);

describe('frames that two servers could read differently', () => {
  const post = (headers: string, body: string): string =>
    `POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  it.each([
    ['both lengths', post('Content-Length: 4\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
    [
      'both lengths, the other way',
      post('Transfer-Encoding: chunked\r\nContent-Length: 4', '0\r\n\r\n'),
    ],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3', '{}')],
    ['a list of lengths', post('Content-Length: 2, 2', '{}')],
    ['a signed length', post('Content-Length: +2', '{}')],
    ['a negative length', post('Content-Length: -1', '{}')],
    ['a length in hexadecimal', post('Content-Length: 0x2', '{}')],
    ['a length beyond all numbers', post(`Content-Length: ${'9'.repeat(30)}`, '{}')],
    ['an unknown transfer coding', post('Transfer-Encoding: xchunked', '{}')],
    ['chunked that is not last', post('Transfer-Encoding: chunked, identity', '0\r\n\r\n')],
    [
      'two transfer codings',
      post('Transfer-Encoding: identity\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    ],
    [
      'a transfer coding behind a vertical tab',
      post('Transfer-Encoding: \u000bchunked', '0\r\n\r\n'),
    ],
    ['a blank before the colon', post('Content-Length : 2', '{}')],
    ['a folded header', post('X-Folded: a\r\n b: c\r\nContent-Length: 2', '{}')],
    [
      'a header line that ends with LF',
      'POST /session HTTP/1.1\r\nHost: a\nContent-Length: 2\r\n\r\n{}',
    ],
    ['a request line that ends with LF', 'GET / HTTP/1.1\nHost: a\n\n'],
    ['CR alone', 'GET / HTTP/1.1\rHost: a\r\r'],
    ['NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX-A: a\0b\r\n\r\n'],
    ['a chunk size that is none', post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n0\r\n\r\n')],
    [
      'a chunk size beyond all numbers',
      post('Transfer-Encoding: chunked', `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`),
    ],
    ['a chunk longer than its size', post('Transfer-Encoding: chunked', '1\r\n{}\r\n0\r\n\r\n')],
    ['another protocol', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['bytes of TLS', Buffer.from('16030100a5010000a1030300', 'hex')],
    ...['99999999999', '1.2.3.4.5', 'a:99999', '[1:2]', 'xn--a'].map((host): [string, string] => [
      `the host ${host}`,
      `GET /graphql HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    ]),
    ['a blank in the path', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'two authorizations',
      'GET /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
    ],
    [
      'two tokens',
      'GET /task/v1/feeds/list HTTP/1.1\r\nHost: a\r\nX-service-csrf-token-X: a\r\nX-service-csrf-token-X: b\r\n\r\n',
    ],
    ['two media types', post('Content-Type: text/plain\r\nContent-Length: 2', '{}')],
  ])('refuses %s once, with 400, and reads nothing behind it as a request', async (_, frame) => {
    const smuggled = 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Smuggled: yes\r\n\r\n';
    const answer = await rawHttp(
      app.url,
      Buffer.concat([Buffer.from(frame), Buffer.from(smuggled)]),
      700,
    );
    expect(statuses(answer)[0], answer).toBe(400);
    if (statuses(answer).length > 1) expect(frame).toMatch(/^GET|Content-Type: text/);
  });
});

it('answers 431 for headers that are too long, in words', async () => {
  const answer = await rawHttp(
    app.url,
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 431 [^]*"errorCode":"E900"/);
});

it('what is no request, behind one whose reply is being sent, is answered by the end of the connection', async () => {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({ query: 'subscription { feedChanged { __typename } }' });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nX-service-csrf-token-X: ${ana}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let answer = '';
  socket.on('data', (chunk) => {
    if (answer === '') socket.write('no request\r\n\r\n');
    answer += chunk.toString('latin1');
  });
  await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  expect(answer).toContain('text/event-stream');
  expect(answer).not.toContain('400 Bad Request');
});

describe('slow clients', () => {
  it('a body that does not arrive is 408', async () => {
    for (const path of ['/session', '/graphql', '/api/Workspaces/create']) {
      const answer = await rawHttp(
        app.url,
        `POST ${path} HTTP/1.1\r\nHost: a\r\nX-service-csrf-token-X: ${ana}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
        3_000,
      );
      expect(statuses(answer)).toEqual([408]);
    }
  });

  it('a request of which a byte comes now and then is 408 and ends the connection, whether its headers or its body take so long', async () => {
    const header = await dripHttp(
      app.url,
      'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ',
      'x'.repeat(10_000),
    );
    expect([header.ended, statuses(header.answer)]).toEqual([true, [408]]);
    const body = await dripHttp(
      app.url,
      'POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n',
      'x'.repeat(8_000),
    );
    expect(body.ended).toBe(true);
    expect(statuses(body.answer)).toEqual([408]);
  });
});

it('encoded bodies, bombs among them, are refused unread', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  for (const path of [
    '/graphql',
    '/session',
    '/api/Workspaces/create',
    '/task/v1/actions/1/suggested-date',
    '/service/rtm/getCalendarData',
  ]) {
    for (const encoding of ['gzip', 'br', 'deflate', 'zstd', 'x', 'gzip, gzip']) {
      const answer = await app.rest(path, ana, {
        method: 'POST',
        body: bomb,
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
      expect([path, encoding, answer.status >= 400 && answer.status < 500]).toEqual([
        path,
        encoding,
        true,
      ]);
    }
  }
});

it('a body of lists in lists is refused in the words of its document', async () => {
  const deep = `{"source_id":${'['.repeat(20_000)}${']'.repeat(20_000)},"workspaceId":1,"name":1}`;
  for (const path of [
    '/session',
    '/service/rtm/getCalendarData',
    '/service/execute/getLeadershipCalendarData',
    '/api/Workspaces/create',
    '/api/task-tracker-external/tasks',
  ]) {
    const answer = await app.rest(path, ana, {
      method: 'POST',
      body: deep,
      headers: { 'content-type': 'application/json', 'API-Key': key, customerId: 'shop' },
    });
    expect([path, answer.status]).toEqual([path, 400]);
  }
});

it('every answer tells browsers to guess, frame, refer and run nothing', async () => {
  for (const path of [
    '/healthz',
    '/graphql',
    '/task/v1/feeds/list',
    '/api/Workspaces',
    '/api/task-tracker-external/tasks',
    '/calendar/x.ics',
    '/nothing',
  ]) {
    const { headers } = await app.rest(path, ana);
    const told = [
      'x-content-type-options',
      'x-frame-options',
      'referrer-policy',
      'cross-origin-resource-policy',
      'strict-transport-security',
    ].map((name) => headers.get(name));
    expect([path, ...told]).toEqual([path, 'nosniff', 'DENY', 'no-referrer', 'same-origin', null]);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  for (const path of ['/', '/graphql', '/docs', '/explain']) {
    const page = await app.rest(path, undefined, { headers: { accept: 'text/html' } });
    expect([path, page.headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    ]);
  }
});

describe('connections beyond MAX_CONNECTIONS', () => {
  it.each([
    ['beyond a quarter of them where all come from one address', {}, 10],
    ['beyond all of them where that is a trusted proxy', { TRUSTED_PROXIES: 'loopback' }, 40],
  ])('are closed as they come, %s; those that were there go on', async (_, env, most) => {
    let metricsUrl = '';
    const limited = await startApp({
      env: { MAX_CONNECTIONS: '40', METRICS_PORT: '0', ...env },
      onGateway: (gateway) => (metricsUrl = gateway.metricsUrl ?? ''),
    });
    const refused = async (): Promise<string | undefined> =>
      /^trivium_refused_connections_total (\d+)$/m.exec(
        await (await fetch(metricsUrl)).text(),
      )?.[1];
    try {
      expect(await refused()).toBe('0');
      const { hostname, port } = new URL(limited.url);
      const first = connect(Number(port), hostname);
      await new Promise((resolve) => first.once('connect', resolve));
      let closed = 0;
      const sockets = Array.from({ length: 60 }, () =>
        connect(Number(port), hostname)
          .on('error', () => {})
          .on('close', () => closed++),
      );
      await expect.poll(() => closed, { timeout: 20_000 }).toBe(61 - most);
      const answer = new Promise<string>((resolve) =>
        first.once('data', (data) => resolve(data.toString())),
      );
      first.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
      expect(await answer).toMatch(/^HTTP\/1\.1 200/);
      expect(await refused()).toBe(String(61 - most));
      for (const socket of [first, ...sockets]) socket.destroy();
      await expect
        .poll(() =>
          limited.rest('/healthz').then(
            ({ status }) => status,
            () => 0,
          ),
        )
        .toBe(200);
    } finally {
      await limited.close();
    }
  });
});
