import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startDatasetApp, type DatasetApp } from '../support/datasets.ts';

interface Line {
  level: number;
  msg: string;
  operation?: string;
  outcome?: string;
}
const lines: Line[] = [];
const sink = new Writable({
  write(chunk: Buffer, _, done) {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line));
    done();
  },
});

let app: DatasetApp;
let large: string;
let dataset: string;
beforeAll(async () => {
  app = await startDatasetApp('filesystem', { log: pino({ level: 'info', base: null }, sink) });
  dataset = await app.dataset(await app.workspace());
  // More than the buffers of a connection hold: noise does not compress.
  const side = 2_000;
  large = await app.image(
    dataset,
    await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer(),
    'noise.png',
  );
});
afterAll(() => app.close());
afterEach(() => void lines.splice(0));

const opened = async (text: string): Promise<Socket> => {
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
};
const head = (method: string, path: string, more: string[] = []): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: gateway',
    `X-service-csrf-token-X: ${app.tokens.owner}`,
    ...more,
    '',
    '',
  ].join('\r\n');
/** Waits for the line of the request's end, and for what may be logged behind it. */
const loggedUntil = async (operation: string): Promise<Line[]> => {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    if (lines.some((line) => line.msg === 'request' && line.operation === operation)) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(lines.map((line) => line.operation)).toContain(operation);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  return lines.filter(({ level }) => level >= 40);
};

describe('a client that hangs up is no fault of the gateway', () => {
  it('in the middle of a download', async () => {
    const socket = await opened(head('GET', `/api/Images/download?imageId=${large}`));
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect(await loggedUntil('downloadImage')).toEqual([]);
    expect(lines.find(({ operation }) => operation === 'downloadImage')?.outcome).toBe('aborted');
  });

  it('in the middle of an upload', async () => {
    const boundary = 'b0undary';
    const part = (name: string, text: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const socket = await opened(
      head('POST', '/api/Images/addImage', [
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        'Content-Length: 5000000',
      ]) +
        part('DatasetId', dataset) +
        `--${boundary}\r\nContent-Disposition: form-data; name="Image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${'x'.repeat(200_000)}`,
    );
    await new Promise((resolve) => socket.write('y'.repeat(100_000), resolve));
    socket.resetAndDestroy();
    expect(await loggedUntil('addImage')).toEqual([]);
  });

  it.each(['/graphql', '/api/Datasets/create'])(
    'in the middle of the body of POST %s',
    async (path) => {
      const socket = await opened(
        `${head('POST', path, ['Content-Type: application/json', 'Content-Length: 500'])}{"query":`,
      );
      await fetch(`${app.url}/healthz`);
      socket.resetAndDestroy();
      expect(await loggedUntil(path === '/graphql' ? 'graphql' : 'createDataset')).toEqual([]);
    },
  );

  it('while events are sent, and on a WebSocket', async () => {
    const subscription = JSON.stringify({ query: 'subscription { feedChanged { __typename } }' });
    const socket = await opened(
      head('POST', '/graphql', [
        'Content-Type: application/json',
        'Accept: text/event-stream',
        `Content-Length: ${subscription.length}`,
      ]) + subscription,
    );
    await once(socket, 'data');
    socket.resetAndDestroy();
    expect(await loggedUntil('subscription feedChanged')).toEqual([]);
    const client = new WebSocket(
      `${app.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    await once(client, 'open');
    client.send(
      JSON.stringify({
        type: 'connection_init',
        payload: { 'X-service-csrf-token-X': app.tokens.owner },
      }),
    );
    await once(client, 'message');
    client.send(JSON.stringify({ type: 'subscribe', id: '1', payload: JSON.parse(subscription) }));
    await fetch(`${app.url}/healthz`);
    client.terminate();
    await once(client, 'close');
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });
});
