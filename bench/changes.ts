/** Delay from commit to subscriber with 1,000 open subscriptions (median, p99), and memory before, during and after 10 × 1,000 opened and dropped. */
import pg from 'pg';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { createSession } from '../src/accounts/sessions/create-session.ts';
import { readConfig } from '../src/core/context/config.ts';
import { importRecords } from '../src/import/import-records.ts';
import { startGateway } from '../src/server/start.ts';
import type { Services } from '../src/core/context/context.ts';
import { startPostgres } from './support/own-postgres.ts';

const SUBSCRIPTIONS = Number(process.env['SUBSCRIPTIONS'] ?? 1_000);
const SESSIONS = 20;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const postgres = await startPostgres();
setTimeout(() => {
  console.error('not finished in time');
  postgres.stop();
  process.exit(1);
}, 150_000).unref();
try {
  let services: Services | undefined;
  const gateway = await startGateway(
    readConfig({
      DATABASE_URL: postgres.url,
      LOG_LEVEL: 'warn',
      PORT: '0',
      DEMO: 'false',
      NODE_ENV: 'production',
    }),
    { onServices: (made) => (services = made) },
  );
  if (!services) throw new Error('no services');
  const own = services;
  const lines = [
    { record: 'domain', name: 'bench' },
    { record: 'dept', domain: 'bench', name: 'Floor' },
    ...Array.from({ length: SESSIONS }, (_, i) => ({
      record: 'user',
      domain: 'bench',
      login: `u${i}`,
      display_name: 'U',
      depts: [{ name: 'Floor' }],
    })),
    {
      feed_key: 1,
      domain: 'bench',
      kind: 'MESSAGE',
      feed_title: 'F',
      priority: 0,
      assignments: [{ dept: 'Floor' }],
    },
  ];
  await importRecords(
    own,
    (async function* () {
      for (const [i, line] of lines.entries()) yield { line: i + 1, text: JSON.stringify(line) };
    })(),
    { name: 'bench' },
  );
  const tokens = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, i) => (await createSession(own, `u${i}`)).token),
  );
  const memory = (): number => (
    globalThis.gc?.(),
    globalThis.gc?.(),
    Math.round(process.memoryUsage().heapUsed / 1e6)
  );
  let received: (priority: number) => void = () => {};
  const open = async (): Promise<() => Promise<void>> => {
    const clients = tokens.map((token) =>
      createClient({
        url: `${gateway.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { 'X-service-csrf-token-X': token },
        retryAttempts: 0,
      }),
    );
    for (let i = 0; i < SUBSCRIPTIONS; i++) {
      clients[i % SESSIONS]?.subscribe(
        {
          query:
            'subscription { feedChanged { ... on FeedUpserted { feed { feedKey feedTitle status priority endDateTime } } } }',
        },
        {
          next: (result: any) => received(result.data.feedChanged.feed.priority),
          error: () => {},
          complete: () => {},
        },
      );
    }
    while (own.changes.open < SUBSCRIPTIONS) await pause(20);
    return async () => {
      for (const client of clients) await client.dispose();
      while (own.changes.open > 0) await pause(20);
    };
  };
  const writer = new pg.Client({ connectionString: postgres.url });
  await writer.connect();
  const before = memory();
  let close = await open();
  await pause(500);
  const delays: number[] = [];
  for (let round = 1; round <= 20; round++) {
    await writer.query('UPDATE feed SET priority = $1 WHERE feed_key = 1', [round]);
    const committed = performance.now();
    let left = SUBSCRIPTIONS;
    await new Promise<void>((resolve) => {
      received = (priority) => {
        if (priority !== round) return;
        delays.push(performance.now() - committed);
        if (--left === 0) resolve();
      };
    });
    await pause(100);
  }
  delays.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(delays[Math.floor(delays.length * share)] ?? 0);
  const during = memory();
  await close();
  for (let i = 0; i < 10; i++) {
    close = await open();
    await close();
  }
  await pause(500);
  console.log(
    JSON.stringify({
      subscriptions: SUBSCRIPTIONS,
      commits: 20,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(0.99999),
      heapMbBefore: before,
      during,
      after: memory(),
    }),
  );
  await writer.end();
  await gateway.close();
} finally {
  postgres.stop();
}
process.exit(0);
