import { AsyncResource } from 'node:async_hooks';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { freshDatabase, startApp, type TestApp } from '../support/app.ts';
import { subscribeSse, subscribeWs, wsClient } from '../support/streams.ts';

/** A log that keeps its lines. */
function keptLog(): { log: Log; lines: Record<string, any>[]; text(): string } {
  const lines: Record<string, any>[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
      done();
    },
  });
  return {
    log: pino({ level: 'info', base: null }, sink),
    lines,
    text: () => JSON.stringify(lines),
  };
}

const records = [
  { record: 'domain', name: 'd' },
  { record: 'user', domain: 'd', login: 'ana', password: 'secret-password' },
  {
    record: 'feed',
    domain: 'd',
    feed_key: 1,
    kind: 'TASK',
    feed_title: 'Hidden title',
    assignments: [{ user: 'ana' }],
  },
];
const feeds = '/task/v1/feeds/list?feed_title=very-private';
const query =
  'query MyWork($title: String) { viewer { feeds(first: 2, filter: { feedTitle: $title }) { nodes { feedTitle } } } }';

/** The value of the sample whose labels contain all of these. */
function sample(text: string, name: string, ...labels: string[]): number | undefined {
  const line = text
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        labels.every((label) => one.includes(label)),
    );
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

async function until<T>(read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 20_000; ;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error('never came');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a gateway that is watched', () => {
  const kept = keptLog();
  let app: TestApp;
  let token: string;
  let metricsUrl = '';
  beforeAll(async () => {
    app = await startApp({
      log: kept.log,
      env: { METRICS_PORT: '0', SLOW_QUERY_MS: '10' },
      onGateway: (gateway) => (metricsUrl = gateway.metricsUrl ?? ''),
    });
    await app.load(records);
    token = await app.signedIn('ana');
  });
  afterAll(() => app.close());
  const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
  const lineOf = (requestId: string): Promise<Record<string, any>> =>
    until(() =>
      kept.lines.find((line) => line['msg'] === 'request' && line['requestId'] === requestId),
    );

  it('logs each request with its id, operation, documented path, status and duration, and no value', async () => {
    await app.rest(feeds, token, { headers: { 'x-request-id': 'request-rest-1' } });
    expect(await lineOf('request-rest-1')).toMatchObject({
      method: 'GET',
      operation: 'retrieveFeeds',
      path: '/task/v1/feeds/{retrieve-type}',
      status: 200,
      outcome: 'ok',
      ms: expect.any(Number),
    });
    await app.gql(query, { title: 'very-private' }, token, { 'x-request-id': 'request-gql-1' });
    expect(await lineOf('request-gql-1')).toMatchObject({
      operation: 'query viewer.feeds',
      name: 'MyWork',
      status: 200,
      outcome: 'ok',
    });
    await app.rest('/task/v1/feeds/list', undefined, {
      headers: { 'x-request-id': 'request-rest-2' },
    });
    expect(await lineOf('request-rest-2')).toMatchObject({
      operation: 'retrieveFeeds',
      status: 401,
      outcome: 'refused',
    });
    await app.gql('{ nothing }', {}, token, { 'x-request-id': 'request-gql-2' });
    expect(await lineOf('request-gql-2')).toMatchObject({
      operation: 'graphql',
      outcome: 'refused',
    });
    await app.rest('/session', undefined, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"login":"ana","password":"secret-password"}',
    });
    for (const value of ['very-private', 'secret-password', token])
      expect(kept.text()).not.toContain(value);
  });

  it('says how long the whole, the database and the phases took in Server-Timing', async () => {
    const rest = await app.rest(feeds, token);
    expect(rest.headers.get('server-timing')).toMatch(
      /^total;dur=[\d.]+, db;dur=(?!0(,|$))[\d.]+$/,
    );
    const graphql = await app.rest('/graphql', token, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(graphql.headers.get('server-timing')).toMatch(
      /^total;dur=[\d.]+, db;dur=[\d.]+.*execute;dur=/,
    );
  });

  it('logs a slow statement once, with the operation that sent it and without values', async () => {
    await app.services.db.rows('SELECT pg_sleep($1::float8), $2::text', ['0.03', 'sssss']);
    const line = await until(() =>
      kept.lines.find(
        ({ msg, statement }) => msg === 'slow statement' && statement?.includes('pg_sleep'),
      ),
    );
    expect(line).toMatchObject({
      level: 40,
      statement: 'SELECT pg_sleep($1::float8), $2::text',
      ms: expect.any(Number),
    });
    expect(kept.text()).not.toContain('sssss');
    await app.services.db.pool
      .query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.03); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE INSERT ON session FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    await app.rest('/session', undefined, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-slow-1' },
      body: '{"login":"ana","password":"secret-password"}',
    });
    expect(
      kept.lines.filter(
        ({ msg, requestId }) => msg === 'slow statement' && requestId === 'request-slow-1',
      ),
    ).toContainEqual(
      expect.objectContaining({
        operation: 'signIn',
        statement: expect.stringContaining('INSERT INTO'),
      }),
    );
  });

  it('counts by operation and outcome, and lets no client make labels', async () => {
    await app.gql('query EvilName { viewer { a: displayName } }', {}, token);
    await app.rest('/no/such/evil-path');
    const text = await metrics();
    expect(
      sample(
        text,
        'trivium_requests_total',
        'operation="retrieveFeeds"',
        'path="/task/v1/feeds/{retrieve-type}"',
        'outcome="ok"',
      ),
    ).toBeGreaterThan(0);
    expect(
      sample(text, 'trivium_requests_total', 'operation="retrieveFeeds"', 'outcome="refused"'),
    ).toBeGreaterThan(0);
    expect(
      sample(
        text,
        'trivium_request_duration_seconds_count',
        'face="graphql"',
        'operation="query viewer.feeds"',
      ),
    ).toBeGreaterThan(0);
    expect(sample(text, 'trivium_requests_total', 'operation="query viewer.displayName"')).toBe(1);
    expect(
      sample(text, 'trivium_requests_total', 'operation="unknown"', 'outcome="refused"'),
    ).toBeGreaterThan(0);
    const labels = [...text.matchAll(/\{.*\}/g)].join('\n');
    expect(labels).toContain('viewer.displayName');
    expect(labels).not.toMatch(/evil|MyWork|ana/i);
  });

  it('knows before the first request under which names requests are counted', async () => {
    const names = async (): Promise<Set<string>> =>
      new Set(
        [...(await metrics()).matchAll(/^trivium_requests_total\{.*operation="([^"]+)"/gm)].map(
          ([, name = '']) => name,
        ),
      );
    const before = await names();
    const pages = ['/', '/docs', '/openapi.json', '/datasets', '/graphql', '/explain'];
    for (const path of [...pages, '/healthz', '/readyz', '/sign-in/none', '/nothing'])
      await app.rest(path, token, { headers: { accept: 'text/html' } });
    expect(await names()).toEqual(before);
  });

  it('tells the pool, the event loop, the statements, the disk and the jobs', async () => {
    const text = await metrics();
    expect(sample(text, 'trivium_db_up')).toBe(1);
    expect(sample(text, 'trivium_db_connections', 'state="total"')).toBeGreaterThan(0);
    expect(sample(text, 'trivium_db_connections', 'state="waiting"')).toBe(0);
    expect(sample(text, 'trivium_db_statement_duration_seconds_count')).toBeGreaterThan(5);
    expect(sample(text, 'trivium_disk_free_bytes')).toBeGreaterThan(0);
    expect(sample(text, 'trivium_event_loop_utilization')).toBeLessThanOrEqual(1);
    expect(sample(text, 'nodejs_eventloop_lag_p99_seconds')).toBeDefined();
    await until(async () =>
      (sample(await metrics(), 'trivium_job_duration_seconds_count', 'name="markChangeLog"') ?? 0) >
      0
        ? true
        : undefined,
    );
  });

  it('counts what leadership data hide behind "no data"', async () => {
    await app.services.db.rows('ALTER TABLE leadership_legend RENAME TO gone', []);
    const answer = await app.rest(
      '/task/v1/calendar/leadership?cal_type=M&month_no=11&year=2026',
      token,
    );
    await app.services.db.rows('ALTER TABLE gone RENAME TO leadership_legend', []);
    expect([answer.status, answer.headers.get('x-degraded')]).toEqual([200, 'true']);
    const text = await metrics();
    expect(sample(text, 'trivium_degraded_answers_total', 'operation="')).toBe(1);
    expect(
      sample(
        text,
        'trivium_requests_total',
        'path="/task/v1/calendar/leadership"',
        'outcome="failed"',
      ),
    ).toBe(1);
    expect(sample(text, 'trivium_db_statement_failures_total')).toBeGreaterThan(0);
  });

  it('counts open streams of both kinds and how far they are behind, and leaves their length out', async () => {
    const sse = await subscribeSse(app, token, 'subscription { feedChanged { __typename } }');
    const client = wsClient(app, { 'X-service-csrf-token-X': token });
    const ws = subscribeWs(client, 'subscription { feedChanged { __typename } }');
    await until(async () =>
      sample(await metrics(), 'trivium_streams_open') === 2 ? true : undefined,
    );
    expect(sample(await metrics(), 'trivium_change_lag_seconds')).toBe(0);
    sse.close();
    ws.close();
    await client.dispose();
    await until(async () =>
      sample(await metrics(), 'trivium_streams_open') === 0 ? true : undefined,
    );
    const text = await metrics();
    expect(
      sample(
        text,
        'trivium_requests_total',
        'face="websocket"',
        'operation="subscription feedChanged"',
      ),
    ).toBe(1);
    expect(
      sample(
        text,
        'trivium_request_duration_seconds_count',
        'operation="subscription feedChanged"',
      ) ?? 0,
    ).toBe(0);
  });

  it('serves metrics at their own address only, and nothing else there', async () => {
    expect((await app.rest('/metrics', token)).status).toBe(404);
    expect((await fetch(metricsUrl.replace('/metrics', '/graphql'))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404);
  });
});

describe('traces', () => {
  const spans: any[] = [];
  let receiver: Server;
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { resourceSpans } = JSON.parse(String(Buffer.concat(chunks)));
        for (const { scopeSpans } of resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    app = await startApp({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
      },
    });
    await app.load(records);
    token = await app.signedIn('ana');
  });
  afterAll(() => receiver.close());

  it('hold the request, the operation and its statements, below the caller of traceparent, without values', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await app.gql(query, { title: 'very-private' }, token, {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    });
    await app.rest(feeds, token);
    await app.close();
    const mine = spans.filter((span) => span.traceId === traceId);
    const request = mine.find((span) => span.kind === 2);
    expect(request).toMatchObject({
      name: 'POST query viewer.feeds',
      parentSpanId: '00f067aa0ba902b7',
    });
    const parts = mine.filter((span) => span.parentSpanId === request.spanId);
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['query viewer.feeds', expect.stringMatching(/^SELECT /)]),
    );
    for (const { startTimeUnixNano, endTimeUnixNano } of parts)
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).toBe(true);
    expect(spans.map(({ name }) => name)).toContain('GET /task/v1/feeds/{retrieve-type}');
    expect(JSON.stringify(spans)).not.toContain('very-private');
    expect(JSON.stringify(spans)).not.toContain(token);
  });
});

it('tells how late the replica is, where there is one; what is no replica is never fresh', async () => {
  const database = await freshDatabase();
  let metricsUrl = '';
  const app = await startApp({
    database,
    env: {
      METRICS_PORT: '0',
      ...(database.kind === 'server' && {
        DATABASE_URL: database.url,
        DATABASE_REPLICA_URL: database.url,
      }),
    },
    onGateway: (gateway) => (metricsUrl = gateway.metricsUrl ?? ''),
  });
  try {
    const text = await (await fetch(metricsUrl)).text();
    expect(
      text.split('\n').filter((line) => line.startsWith('trivium_replica_lag_seconds')),
    ).toEqual(
      database.kind === 'server'
        ? [`trivium_replica_lag_seconds{server="${new URL(database.url).host}"} +Inf`]
        : [],
    );
  } finally {
    await app.close();
  }
});

it('production sends no Server-Timing, and answers the same with a traces endpoint that is down', async () => {
  const kept = keptLog();
  const app = await startApp({
    log: kept.log,
    env: { NODE_ENV: 'production', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  });
  const answer = await app.rest('/task/v1/feeds/list');
  await app.close();
  expect([answer.status, answer.headers.get('server-timing')]).toEqual([401, null]);
  expect(kept.lines.some(({ msg }) => msg === 'traces not sent')).toBe(true);
}, 60_000);

// Node 20 and 22 keep the context of requests in such fields; Node 24 has none.
it('a gateway that has closed leaves no field on what the process starts later', async () => {
  const fields = (): number => Object.getOwnPropertySymbols(new AsyncResource('test')).length;
  const before = fields();
  const app = await startApp();
  await app.rest('/task/v1/feeds/list');
  await app.close();
  expect(fields()).toBe(before);
});
