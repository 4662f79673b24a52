import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startApp } from '../support/app.ts';
import { folder, endProcesses, GENEROUS, start, stop } from '../support/gateway-process.ts';
import { heapInUse } from '../support/memory.ts';
import { feed, organisation } from '../support/records.ts';
import { subscribeSse, subscribeWs, wsClient } from '../support/streams.ts';

endProcesses();

/** `STOPS=20 npx vitest run test/server/stopping.test.ts` stops more often. */
const STOPS = Number(process.env['STOPS'] ?? 2);
const WORKERS = 16;

const CHANGED = 'subscription { feedChanged { __typename } }';
const PIN = `mutation { setFeedState(input: { feedIds: ["${btoa('Feed:1')}"], pinned: true }) { __typename } }`;

/** Sends a mutation on a connection that is kept. Undefined when no gateway took the connection. */
function pin(
  url: string,
  { token, agent }: { token: string; agent: Agent },
): Promise<
  { status: number | undefined; connection: string | undefined; text: string } | undefined
> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/graphql`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': token },
    });
    sent.on('error', (error) =>
      'code' in error && error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    );
    sent.on('response', (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      reply
        .on('error', reject)
        .on('end', () =>
          resolve({ status: reply.statusCode, connection: reply.headers.connection, text }),
        );
    });
    sent.end(JSON.stringify({ query: PIN }));
  });
}

/** Sends mutations one after the other until the gateway is gone; calls `answered` after the first. */
async function keepPinning(
  url: string,
  { token, keepAlive }: { token: string; keepAlive: boolean },
  answered: () => void,
): Promise<number> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  for (let count = 0; ; count++) {
    const reply = await pin(url, { token, agent });
    if (!reply) return count;
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('SetFeedState')]);
    answered();
  }
}

it.each([
  ['connections that are kept', true],
  ['a connection for each', false],
])(
  'answers every request that has reached it, over %s, when it is stopped under load',
  async (_, keepAlive) => {
    const dataDir = join(folder, `data-${keepAlive}`);
    const database = { kind: 'embedded', dataDir } as const;
    const loader = await startApp({ database, now: Date.now() });
    await loader.load([...organisation, feed(1)]);
    const token = await loader.signedIn('ana');
    await loader.close();
    for (let round = 0; round < STOPS; round++) {
      const gateway = await start({ DATA_DIR: dataDir, DEMO: 'false', RATE_LIMIT: '0' });
      const workers: Promise<number>[] = [];
      await Promise.all(
        Array.from(
          { length: WORKERS },
          () =>
            new Promise<void>((resolve) =>
              workers.push(keepPinning(gateway.url, { token, keepAlive }, resolve)),
            ),
        ),
      );
      const exit = stop(gateway, 'SIGTERM');
      const counts = await Promise.all(workers);
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(await exit).toEqual({ code: 0, signal: null });
    }
  },
  GENEROUS * STOPS,
);

it('closes the connection of every answer while it stops, and gives mutations over WebSocket their result', async () => {
  const app = await startApp({ idleMs: 60_000 });
  await app.load([...organisation, feed(1)]);
  const token = await app.signedIn('ana');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await pin(app.url, { token, agent })).toMatchObject({ connection: 'keep-alive' });
  const client = wsClient(app, { 'X-service-csrf-token-X': token });
  const stream = subscribeWs(client, CHANGED);
  const other = await subscribeSse(app, token, CHANGED);
  await stream.until(() => app.services.changes.open === 2);
  // The embedded database has one connection: the mutations wait for it until the streams are cut.
  const held = await app.services.db.pool.connect();
  const last = pin(app.url, { token, agent });
  const overSocket = subscribeWs(client, PIN);
  const closing = app.close();
  await other.closed;
  held.release();
  expect(await last).toMatchObject({ status: 200, connection: 'close' });
  await overSocket.closed;
  expect(overSocket.results).toMatchObject([
    { data: { setFeedState: { __typename: 'SetFeedStatePayload' } } },
    'complete',
  ]);
  expect(await stream.closed).toMatchObject({ code: 1012 });
  expect(await pin(app.url, { token, agent })).toBeUndefined();
  await closing;
});

it('is let go once it is closed: nothing of the process holds it', async () => {
  const closed = async (): Promise<WeakRef<object>> => {
    const app = await startApp();
    expect((await app.rest('/readyz')).status).toBe(200);
    await app.close();
    return new WeakRef(app.services);
  };
  const gateways = [await closed(), await closed(), await closed()];
  // The first may be held by what libraries keep of the moment in which they were loaded.
  await vi.waitFor(
    () => {
      heapInUse();
      expect(gateways.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(1);
    },
    { timeout: 20_000, interval: 250 },
  );
});
