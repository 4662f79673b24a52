import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startApp, type TestApp } from '../support/app.ts';
import { organisation } from '../support/records.ts';

/** WebSockets of one user. */
const MOST = 300;

let app: TestApp;
beforeAll(async () => {
  // One address may have as many connections as there are.
  app = await startApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  await app.load([...organisation]);
});
afterAll(() => app.close());

const open: WebSocket[] = [];

/** Opens one; answers with the type of the first message, or with the code and the reason of its end. */
async function hold(token: string): Promise<string> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  open.push(socket);
  await once(socket, 'open');
  socket.send(
    JSON.stringify({ type: 'connection_init', payload: { 'X-service-csrf-token-X': token } }),
  );
  return new Promise((resolve) => {
    socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString()).type));
    socket.once('close', (code, reason) => resolve(`${code} ${String(reason)}`));
  });
}

it('a user with 300 WebSockets gets another one when one is closed; others get theirs', async () => {
  const ana = await app.signedIn('ana');
  // Of another session: it is the user who counts.
  const again = await app.signedIn('ana');
  const bob = await app.signedIn('bob');
  const held = await Promise.all(Array.from({ length: MOST }, (_, n) => hold(n % 2 ? ana : again)));
  expect(new Set(held)).toEqual(new Set(['connection_ack']));
  expect(await hold(ana)).toBe(
    '1013 You are holding 300 WebSockets: wait for one, then try again in 10 s',
  );
  expect(await hold(bob)).toBe('connection_ack');
  const [first] = open;
  if (!first) throw new Error('none is open');
  first.close();
  await once(first, 'close');
  await expect.poll(() => hold(again)).toBe('connection_ack');
  for (const socket of open) socket.terminate();
});
