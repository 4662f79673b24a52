import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { GraphQLInterfaceType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { interceptRows } from '../support/intercept-rows.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
const lines: string[] = [];

beforeAll(async () => {
  const { pino } = await import('pino');
  app = await startApp({
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) }),
    env: { REQUEST_TIMEOUT_MS: '2000' },
  });
  await app.load([...organisation, feed(1)]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

const repeat = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');

it('node says of every type that it needs a session, not that there is no such object', async () => {
  const types = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType);
  for (const { name } of types) {
    // An id is a number or a UUID.
    const ids = ['1', randomUUID()].map((id) => Buffer.from(`${name}:${id}`).toString('base64'));
    const codes = await Promise.all(
      ids.map(async (id) => {
        const { errors } = await app.gql('query ($id: ID!) { node(id: $id) { id } }', { id });
        return errors?.[0]?.extensions['code'];
      }),
    );
    expect([name, codes]).toEqual([name, expect.arrayContaining(['UNAUTHENTICATED'])]);
  }
});

describe('documents that are refused, each with a code and without a 5xx', () => {
  it.each([
    [
      'too deep',
      `{ viewer { feeds { nodes ${'{ parent '.repeat(12)} { id } ${'}'.repeat(12)} } } }`,
      'DOCUMENT_TOO_LARGE',
    ],
    ['5,000 levels deep', `${'{ a '.repeat(5_000)}${'}'.repeat(5_000)}`, 'GRAPHQL_PARSE_FAILED'],
    [
      'too many aliases',
      `{ viewer { ${repeat(51, (i) => `a${i}: login`)} } }`,
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'too many directives',
      `{ viewer { login ${repeat(51, () => '@include(if: true)')} } }`,
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'too many fragments',
      `{ viewer { ...F0 } } ${repeat(31, (i) => `fragment F${i} on Viewer { login }`)}`,
      'DOCUMENT_TOO_LARGE',
    ],
    ['too many tokens', `{ viewer { ${repeat(1_000, () => 'login')} } }`, 'GRAPHQL_PARSE_FAILED'],
    ['too many root fields', `{ ${repeat(31, () => 'viewer { login }')} }`, 'DOCUMENT_TOO_LARGE'],
    [
      'fragments in a circle',
      '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }',
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'fragments that double at each level',
      `{ viewer { feeds { nodes { ...A0 } } } } ${repeat(9, (i) => `fragment A${i} on Feed { a: parent { ...A${i + 1} } b: parent { ...A${i + 1} } }`)} fragment A9 on Feed { id }`,
      'DOCUMENT_TOO_LARGE',
    ],
    [
      'too costly',
      '{ viewer { feeds(first: 100) { nodes { tasks(first: 100) { nodes { id } } } } } }',
      'COST_LIMIT_EXCEEDED',
    ],
    [
      'too costly by variables',
      'query ($n: Int = 100) { viewer { feeds(first: $n) { nodes { tasks(last: $n) { nodes { id } } } } } }',
      'COST_LIMIT_EXCEEDED',
    ],
    [
      'a list literal of 20 kB',
      `{ viewer { feeds(filter: { priorities: ${'['.repeat(20_000)}${']'.repeat(20_000)} }) { totalCount } } }`,
      'GRAPHQL_PARSE_FAILED',
    ],
    ['a field that does not exist', '{ viewer { logn } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an argument of the wrong type',
      '{ viewer { feeds(first: "1") { totalCount } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a day that does not exist',
      '{ viewer { feedCounts(startDate: "2026-02-30", endDate: "2026-03-01") { total } } }',
      'BAD_USER_INPUT',
    ],
    [
      'no operation of that name',
      'query A { viewer { login } } query B { viewer { login } }',
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['no text', '', 'GRAPHQL_PARSE_FAILED'],
  ])('%s', async (_, query, code) => {
    const answer = await app.gql(query, {}, ana);
    expect(answer.status).toBeLessThan(500);
    expect(answer.errors?.[0]?.extensions['code']).toBe(code);
  });

  it('a condition at the root of a subscription, also in a fragment', async () => {
    for (const query of [
      'subscription ($s: Boolean = true) { feedChanged @skip(if: $s) { __typename } }',
      'subscription { ...F } fragment F on Subscription { ... @include(if: true) { feedChanged { __typename } } }',
    ]) {
      const { errors } = await app.gql(query, {}, ana);
      expect(errors?.map(({ message }) => message)).toEqual([
        '@skip and @include are not allowed at the root of a subscription',
      ]);
    }
  });

  it.each(['constructor', '__proto__', 'none'])(
    'a subscription of the fragment %s, which nobody has defined',
    async (name) => {
      const { status, errors } = await app.gql(`subscription { ...${name} }`, {}, ana);
      expect(status).toBe(200);
      expect(errors?.map(({ message }) => message)).toEqual([`Unknown fragment "${name}".`]);
    },
  );

  it('a wrong variable is BAD_USER_INPUT, whatever its shape', async () => {
    for (const filter of [
      1,
      'x',
      [1],
      { colour: 1 },
      { priorities: [1.5] },
      { priorities: ['1'] },
      { statuses: ['N'] },
      { selectedDates: ['20260101'] },
      { cutOffTime: 'x' },
      { priorities: [[[[1]]]] },
    ]) {
      const answer = await app.gql(
        'query ($filter: FeedFilter) { viewer { feeds(filter: $filter) { totalCount } } }',
        { filter },
        ana,
      );
      expect(answer.errors?.[0]?.extensions['code'], JSON.stringify(filter)).toBe('BAD_USER_INPUT');
    }
  });

  it('text that no database can hold is found nowhere', async () => {
    for (const text of ['\0', '\ud800', 'a\0b']) {
      const filter = {
        feedTitle: text,
        tags: [text],
        messageTypes: [text],
        comAttrValues: [text],
        feedTypeIds: [text],
      };
      for (const [name, value] of Object.entries(filter)) {
        const answer = await app.gql(
          'query ($filter: FeedFilter) { viewer { feeds(filter: $filter, first: 1) { totalCount } } }',
          { filter: { [name]: value } },
          ana,
        );
        expect(answer.data?.viewer.feeds.totalCount, `${name} ${JSON.stringify(text)}`).toBe(0);
      }
      expect(
        (
          await app.gql(
            'query ($id: ID) { viewer { feeds(filterId: $id) { totalCount } } }',
            { id: text },
            ana,
          )
        ).data.viewer.feeds.totalCount,
      ).toBe(0);
    }
  });
});

it('tells the cost of every operation', async () => {
  const { extensions } = await app.gql(
    '{ viewer { feeds(first: 10) { nodes { feedKey tasks { nodes { id } } } } } }',
    {},
    ana,
  );
  expect(extensions?.['cost']).toEqual({
    requested: 1 + 1 + 10 * (1 + 1 + 10),
    limit: 5000,
    remaining: 5000 - 122,
  });
  const introspection = await app.gql(
    '{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }',
  );
  expect(introspection.extensions?.['cost']).toEqual({
    requested: 0,
    limit: 5000,
    remaining: 5000,
  });
});

describe('HTTP', () => {
  /** Sends a request line and headers as they are, which fetch would not. */
  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let answer = '';
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
      setTimeout(() => socket.end(), 1_000);
    });

  it.each([
    ['a Host that is none', 'GET /graphql HTTP/1.1\r\nHost: a b:::\r\n\r\n'],
    ['no Host', 'GET /graphql HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /graphql HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['a path that begins with //', 'GET //evil.example/graphql HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an absolute target', 'GET http://evil.example/graphql HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a backslash', 'GET /\\evil.example HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'both lengths',
      'POST /session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header that is none', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n'],
  ])('refuses %s with 400', async (_, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('refuses targets, headers and bodies that are too long', async () => {
    expect(
      (await app.rest(`/task/v1/feeds/list?feed_title=${'x'.repeat(8_001)}`, ana)).status,
    ).toBe(414);
    expect(
      await raw(
        `GET /task/v1/feeds/list HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 4/);
    const large = await app.rest('/graphql', ana, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ viewer { login } } # ${'x'.repeat(1_100_000)}` }),
    });
    expect(large.status).toBe(413);
  });

  it('refuses a body without a length that is too long, with the same words for each media type', async () => {
    const post = async (path: string, type: string, begin: string): Promise<unknown[]> => {
      const headers = { authorization: `Bearer ${ana}`, 'content-type': type };
      const request = httpRequest(app.url + path, { method: 'POST', headers });
      request.write(begin);
      request.end('x'.repeat(1_048_577));
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return [response.statusCode, await json(response)];
    };
    const message = 'The body is larger than 1048576 bytes';
    const refused = {
      errors: [{ message, extensions: { code: 'PAYLOAD_TOO_LARGE', legacyCode: 'E903' } }],
    };
    const part = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const form = `${part('operations', '{"query":"{ __typename }"}')}${part('map', '{}')}`;
    const file =
      '--b\r\nContent-Disposition: form-data; name="0"; filename="a"\r\nContent-Type: image/png\r\n\r\n';
    expect((await post('/session', 'application/json', ''))[0]).toBe(413);
    for (const [type, begin] of [
      ['application/json', '{"query":"'],
      ['application/graphql', '# '],
      ['application/x-www-form-urlencoded', 'query={__typename}&x='],
      ['multipart/form-data; boundary=b', form + file],
      ['multipart/form-data; boundary=b', form + part('x', '').slice(0, -2)],
    ] as const)
      expect([type, ...(await post('/graphql', type, begin))]).toEqual([type, 413, refused]);
  });

  it('F011 a page of another origin can not post a form, with or without files', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await app.rest('/graphql', undefined, {
        method: 'POST',
        body: '{"query":"{ __typename }"}',
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(415);
    }
  });

  it('refuses encoded bodies, which could be a thousand times as long as they look', async () => {
    for (const path of ['/graphql', '/session']) {
      const answer = await app.rest(path, ana, {
        method: 'POST',
        body: gzipSync('{"query":"{ __typename }"}'),
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      });
      expect([path, answer.status]).toEqual([path, 415]);
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    }
    // The envelope of datasets has no 415 (D-60).
    for (const path of ['/api/Images/addImage', '/api/Projects/importAnnotations'])
      expect(
        await app.rest(path, ana, {
          method: 'POST',
          body: gzipSync('--b--\r\n'),
          headers: {
            'content-type': 'multipart/form-data; boundary=b',
            'content-encoding': 'gzip',
          },
        }),
      ).toMatchObject({ status: 400, text: expect.stringContaining('Encoded bodies') });
  });

  it('ends a WebSocket whose message is too long with 1009, and prints nothing of it', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const socket = new WebSocket(
      `${app.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    const closed = once(socket, 'close');
    await once(socket, 'open');
    socket.send('x'.repeat(70_000));
    expect((await closed)[0]).toBe(1009);
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
  });

  it('no query string, path or JSON of any shape gives a 5xx', async () => {
    const odd = [
      '%',
      '%00',
      '%ff%fe',
      '%F0%9F%98%80',
      '__proto__=1',
      'constructor[prototype]=1',
      'limit[]=1',
      '=',
      '&&&',
      'pin=%E0%A4%A',
      'a'.repeat(5_000),
      'starting_after=%00',
      'feed_title=%u0041',
      'tags=%ED%A0%80',
      'filter_id=%00',
      `selected_dates=${'20260101,'.repeat(500)}`,
      'cut_off_time=9007199254740991',
      'priority=-2147483648',
    ];
    for (const query of odd) {
      for (const path of [
        'list',
        'count',
        'list/tasks',
        '%2e%2e',
        encodeURIComponent('../session'),
        '%',
      ]) {
        const answer = await app.rest(
          `/task/v1/feeds/${path}?start_date=20260101&end_date=20260102&${query}`,
          ana,
        );
        expect(answer.status, `${path} ${query}`).toBeLessThan(500);
      }
    }
    for (const body of [
      'null',
      '1',
      '"x"',
      '[]',
      '[[]]',
      '{"__proto__":{"query":"x"}}',
      '{"query":1}',
      '{"query":null}',
      '{"query":"{__typename}","variables":1}',
      '{"query":"{__typename}","operationName":[]}',
      '{"query":"{__typename}","extensions":"x"}',
      '\ud800',
      '{"query":"\\u0000"}',
      '[{"query":"{__typename}"}]',
    ]) {
      const answer = await app.rest('/graphql', ana, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect([body, answer.status >= 500]).toEqual([body, false]);
    }
  });
});

it('an unexpected failure is masked, logged once with its cause, and tells the request id', async () => {
  const { db } = app.services;
  lines.length = 0;
  const restore = interceptRows(
    db,
    (rows) => (sql, params) =>
      sql.includes('feed_listing')
        ? Promise.reject(new Error('the secret reason'))
        : rows(sql, params),
  );
  try {
    const rest = await app.rest('/task/v1/feeds/list', ana);
    expect([rest.status, rest.json]).toEqual([
      500,
      { status: 'ER', errorCode: 'E302', response: 'Unexpected server error' },
    ]);
    const graphql = await app.gql('{ viewer { feeds { totalCount } } }', {}, ana);
    expect(graphql.errors?.[0]).toMatchObject({
      message: 'Unexpected server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR', legacyCode: 'E302' },
    });
    expect(JSON.stringify([rest, graphql])).not.toContain('secret');
    const errors = lines
      .map((line) => JSON.parse(line))
      // Not those of background jobs.
      .filter((line) => line.level === 50 && line.requestId !== undefined);
    expect(errors.map((line) => line.err.message)).toEqual([
      'the secret reason',
      'the secret reason',
    ]);
    expect(errors[0].requestId).toBe(rest.headers.get('x-request-id'));
  } finally {
    restore();
  }
});

it('a database that is out of reach is 503 with Retry-After; the log never holds tokens or values', async () => {
  const { db } = app.services;
  const restore = interceptRows(
    db,
    (rows) => (sql, params) =>
      sql.includes('feed_listing')
        ? Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }))
        : rows(sql, params),
  );
  try {
    const rest = await app.rest('/task/v1/feeds/list?feed_title=private', ana);
    expect([rest.status, rest.headers.get('retry-after'), rest.json['errorCode']]).toEqual([
      503,
      '2',
      'E302',
    ]);
    expect((await app.gql('{ viewer { feeds { totalCount } } }', {}, ana)).status).toBe(503);
  } finally {
    restore();
  }
  await app.rest('/session', undefined, {
    method: 'POST',
    body: JSON.stringify({ login: 'ana', password: 'hunter2' }),
    headers: { 'content-type': 'application/json' },
  });
  expect(lines.join('')).not.toMatch(new RegExp(`${ana}|private|hunter2`));
  expect(
    lines
      .map((line) => JSON.parse(line))
      .find((line) => line.msg === 'request' && line.operation === 'retrieveFeeds'),
  ).toMatchObject({
    method: 'GET',
    status: 500,
    ms: expect.any(Number),
    requestId: expect.any(String),
  });
});

it('a request that takes too long is answered 503', async () => {
  const { db } = app.services;
  const restore = interceptRows(
    db,
    (rows) => (sql, params) =>
      sql.includes('feed_listing') ? new Promise(() => {}) : rows(sql, params),
  );
  try {
    const answer = await app.rest('/task/v1/feeds/list', ana);
    expect([answer.status, answer.json['errorCode'], answer.headers.get('retry-after')]).toEqual([
      503,
      'E302',
      '2',
    ]);
  } finally {
    restore();
  }
});
