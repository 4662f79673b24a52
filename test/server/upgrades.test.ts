import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startApp, type TestApp } from '../support/app.ts';
import { dripHttp, rawHttp } from '../support/raw-http.ts';
import { organisation } from '../support/records.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load(organisation);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

/** As clients of HTTP/2 ask over a plain connection. */
const h2c =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';
const get = (path: string, headers = h2c): string =>
  `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${headers}\r\n`;
const post = (query: string, headers = h2c): string => {
  const body = JSON.stringify({ query });
  return `POST /graphql HTTP/1.1\r\nHost: gateway\r\n${headers}Content-Type: application/json\r\nX-service-csrf-token-X: ${ana}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
/** Of all answers on a connection: bodies end without a line break. */
const statuses = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const last = 'Connection: close\r\n';
/** What is answered behind a request with a body: from Node 25 on, its connection ends. */
const behindBody = Number.parseInt(process.versions.node) < 25 ? [200] : [];

describe('a request to go on in another protocol', () => {
  it('is answered over HTTP/1.1, and the connection goes on', async () => {
    const answer = await rawHttp(
      app.url,
      get('/healthz') + get('/readyz') + post('{ viewer { login } }') + get('/healthz', last),
      20_000,
    );
    expect(statuses(answer)).toEqual([200, 200, 200, ...behindBody]);
    expect(answer).toContain('{"data":{"viewer":{"login":"ana"}}');
    expect(answer.indexOf('ready')).toBeLessThan(answer.indexOf('"login"'));
  });

  it('may come while the one before it is answered', async () => {
    const answer = await rawHttp(
      app.url,
      post('{ viewer { login } }', '') + get('/healthz') + post('{ viewer { langCode } }', last),
      20_000,
    );
    expect(statuses(answer)).toEqual([200, 200, 200]);
    expect(answer.indexOf('"login"')).toBeLessThan(answer.indexOf('"langCode"'));
  });

  it('may have a body that comes in pieces', async () => {
    const chunked = `POST /graphql HTTP/1.1\r\nHost: gateway\r\n${h2c}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const body = '{"query":"{ __typename }"}';
    const pieces = `5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`;
    const answer = await rawHttp(app.url, chunked + pieces + get('/healthz', last), 20_000);
    expect(statuses(answer)).toEqual([200, ...behindBody]);
    expect(answer).toContain('{"data":{"__typename":"Query"}');
  });

  it('may have a body that comes later', async () => {
    const whole = post('{ __typename }', h2c.replace('Upgrade', 'close, Upgrade'));
    const { answer } = await dripHttp(app.url, whole.slice(0, -20), whole.slice(-20));
    expect(statuses(answer)).toEqual([200]);
    expect(answer).toContain('{"data":{"__typename":"Query"}');
  });

  it('keeps its other options and headers', async () => {
    const closing = await rawHttp(
      app.url,
      get(
        '/healthz',
        'connection: Upgrade, close\r\nupgrade: TLS/1.0\r\nX-Request-Id: mine-1234\r\n',
      ),
      20_000,
    );
    expect(statuses(closing)).toEqual([200]);
    expect(closing.toLowerCase()).toContain('connection: close');
    expect(closing).toContain('mine-1234');
  });

  it('is ignored where there is no WebSocket, and by the documents own error bodies', async () => {
    const websocket =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const answer = await rawHttp(
      app.url,
      get('/task/v1/nothing', websocket) + get('/task/v1/feeds/list') + get('/healthz', last),
      20_000,
    );
    expect(statuses(answer)).toEqual([404, 401, 200]);
    expect(answer).toContain('"errorCode":"E404"');
  });

  it('ends where its body ends, however many headers it has', async () => {
    const inside = get('/healthz');
    const head = `POST /healthz HTTP/1.1\r\nHost: gateway\r\n${h2c}${'a:\r\n'.repeat(2_500)}`;
    const answer = await rawHttp(
      app.url,
      `${head}Content-Length: ${inside.length}\r\n\r\n${inside}${get('/readyz', last)}`,
      20_000,
    );
    expect(statuses(answer)).toEqual([200, ...behindBody]);
  });

  it('is one of many on a connection, which counts once', async () => {
    const limited = await startApp({ env: { MAX_CONNECTIONS: '40' } });
    try {
      const many = get('/healthz').repeat(30);
      const answer = await rawHttp(limited.url, many + get('/healthz', last), 20_000);
      expect(statuses(answer)).toEqual(Array.from({ length: 31 }, () => 200));
    } finally {
      await limited.close();
    }
  });

  it('opens a WebSocket when the requests before it have been answered', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const websocket =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n';
    socket.write(
      post('{ viewer { login } }', '') +
        post('{ viewer { langCode } }', '') +
        get('/graphql', websocket),
    );
    let answer = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      answer += chunk.toString('latin1');
      if (answer.includes('HTTP/1.1 101') && answer.includes('"langCode"')) break;
    }
    expect(statuses(answer)).toEqual([200, 200, 101]);
  });

  it('opens a WebSocket at the path of GraphQL', async () => {
    const socket = new WebSocket(
      `${app.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  });
});
