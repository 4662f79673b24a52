import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

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
