import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failure, startDatasetApp, type DatasetApp } from '../../support/datasets.ts';
import { jpeg } from '../../support/images.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, stored: Buffer) => void;

/** An object storage that keeps what was put; a test says how it answers. */
let onPut: Answer;
let onGet: Answer;
const acknowledge: Answer = (_, response) => response.setHeader('etag', '"x"').end();
const objects = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const [path = ''] = (request.url ?? '').split('?');
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'PUT') {
      objects.set(path, Buffer.concat(chunks));
      return onPut(request, response, Buffer.alloc(0));
    }
    const stored = objects.get(path) ?? Buffer.alloc(0);
    response.setHeader('etag', '"x"');
    if (request.method === 'GET') return onGet(request, response, stored);
    return response.setHeader('content-length', stored.length).end();
  });
});
let app: DatasetApp;
let metricsUrl = '';
let workspace: string;
let DatasetId: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.env['AWS_ACCESS_KEY_ID'] = process.env['AWS_SECRET_ACCESS_KEY'] = 'none';
  app = await startDatasetApp('filesystem', {
    env: { STORAGE: `s3://images?endpoint=http://127.0.0.1:${port}`, METRICS_PORT: '0' },
    onGateway: (gateway) => (metricsUrl = gateway.metricsUrl ?? ''),
  });
  workspace = await app.workspace();
  DatasetId = await app.dataset(workspace);
});
afterAll(async () => {
  server.closeAllConnections();
  await app.close();
  server.close();
});

const download = (imageId: string, range: string) =>
  app.download(`/api/Images/download?imageId=${imageId}`, { range });

test('an upload counts as stored only if the storage says so, not a page of what stands between', async () => {
  onPut = (_, response) => response.setHeader('content-type', 'text/html').end('<html>Sign in');
  const refused = await app.upload({ DatasetId, FileName: 'a.jpg', Image: await jpeg(90, 90) });
  expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
  expect(refused.headers.get('retry-after')).toBe('2');
});

test('an upload whose connection the storage cuts off is a failure of the storage', async () => {
  const failures = async (): Promise<number> => {
    const text = await (await fetch(metricsUrl)).text();
    const label = 'action="put",outcome="failed"';
    return Number(text.split(`trivium_storage_calls_total{${label}} `)[1]?.split('\n')[0]);
  };
  const before = await failures();
  onPut = (request) => request.socket.destroy();
  const refused = await app.upload({ DatasetId, FileName: 'a.jpg', Image: await jpeg(95, 95) });
  expect(refused).toMatchObject(failure(500, 'INTERNAL_ERROR'));
  expect(await failures()).toBeGreaterThan(before);
});

test('a range is right from a storage that sends the whole object, or more than the range', async () => {
  const bytes = await jpeg(100, 100);
  onPut = acknowledge;
  const id = await app.image(DatasetId, bytes);
  const answers: Answer[] = [
    (_, response, stored) => response.end(stored),
    (_, response, stored) =>
      response
        .writeHead(206, { 'content-range': `bytes 5-${stored.length - 1}/${stored.length}` })
        .end(stored.subarray(5)),
  ];
  for (const answer of answers) {
    onGet = answer;
    const part = await download(id, 'bytes=10-19');
    expect([part.status, part.bytes.equals(bytes.subarray(10, 20))]).toEqual([206, true]);
  }
});

test('a range that begins behind what was asked for is never passed on', async () => {
  onPut = acknowledge;
  const id = await app.image(DatasetId, await jpeg(110, 110));
  onGet = (_, response, stored) =>
    response.writeHead(206, { 'content-range': `bytes 20-29/${stored.length}` }).end('0123456789');
  const refused = await download(id, 'bytes=10-19');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '2']);
});

test('a page of what stands between is never passed on as an image', async () => {
  onPut = acknowledge;
  const id = await app.image(DatasetId, await jpeg(115, 115));
  onGet = (_, response) => {
    response.removeHeader('etag');
    response.setHeader('content-type', 'text/html').end('<html>Sign in');
  };
  const refused = await app.download(`/api/Images/download?imageId=${id}`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '2']);
});

test('downloads that wait for their clients keep nobody from the storage', async () => {
  onPut = acknowledge;
  const id = await app.image(DatasetId, await jpeg(120, 120));
  onGet = (_, response, stored) =>
    response.writeHead(200, { 'content-length': stored.length }).write(stored.subarray(0, 100));
  const stop = new AbortController();
  const waiting = await Promise.all(
    Array.from({ length: 60 }, () =>
      fetch(`${app.url}/api/Images/download?imageId=${id}`, {
        headers: { 'x-service-csrf-token-x': app.tokens.owner },
        signal: stop.signal,
      }),
    ),
  );
  expect(waiting.map(({ status }) => status)).toEqual(Array(60).fill(200));
  stop.abort();
});

test('a HEAD of a file keeps no connection to the storage', async () => {
  onPut = acknowledge;
  const id = await app.image(DatasetId, await jpeg(125, 125));
  let closed: Promise<unknown> | undefined;
  onGet = (_, response, stored) => {
    closed = once(response, 'close');
    response.writeHead(200, { 'content-length': stored.length }).write(stored.subarray(0, 100));
  };
  const { status } = await fetch(`${app.url}/api/Images/download?imageId=${id}`, {
    method: 'HEAD',
    headers: { 'x-service-csrf-token-x': app.tokens.owner },
  });
  expect(status).toBe(200);
  await closed;
});

test('an export that can not begin, as the storage refuses, says so', async () => {
  onPut = acknowledge;
  const dataset = await app.dataset(workspace);
  await app.image(dataset, await jpeg(130, 130));
  const project = await app.project(workspace, dataset);
  onGet = (_, response) => response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
  const refused = await app.download(`/api/Projects/export?projectId=${project}&dataFilter=All`);
  expect(refused.status).toBe(500);
  expect(refused.headers.get('content-disposition')).toBeNull();
  expect(JSON.parse(refused.bytes.toString())).toMatchObject({ errorCodes: ['INTERNAL_ERROR'] });
});
