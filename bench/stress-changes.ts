/**
 * Does anything get lost? Eight writers for 20 s on a PostgreSQL of our own, two gateways of which one is killed -9, a database that crashes in the middle, pollers
 * that pause at random, subscribers that drop and resume. They update feeds, delete them, assign and unassign them, and pin them for one user. Every committed
 * write must reach every reader whom it concerns. Prints the counts; exit code 1 if any write is lost.
 */
import { createClient } from 'graphql-ws';
import pg from 'pg';
import { WebSocket } from 'ws';
import { createSession } from '../src/accounts/sessions/create-session.ts';
import { readConfig } from '../src/core/context/config.ts';
import { importRecords } from '../src/import/import-records.ts';
import { createServices } from '../src/server/services.ts';
import { startGatewayProcess, type GatewayProcess } from './support/gateway-process.ts';
import { freePort } from '../test/support/free-port.ts';
import { startPostgres } from './support/own-postgres.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 20);
const WRITERS = 8;
const FEEDS = 4_000;
const READERS = 4;
/** Behind the feeds that are updated, so many keys each that are deleted, assigned, unassigned or pinned: each once. */
const ONCE = 3_000;
const kinds = ['delete', 'assign', 'unassign', 'pin'] as const;
type Kind = (typeof kinds)[number];
const firstOf = (kind: Kind): number => FEEDS + 1 + kinds.indexOf(kind) * ONCE;
const kindOf = (key: number): Kind | undefined => kinds[Math.floor((key - FEEDS - 1) / ONCE)];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const random = (from: number, to: number): number => from + Math.floor(Math.random() * (to - from));

/** A socket that is dropped before it is open reports that as an error, which is what we do to it. */
class QuietWebSocket extends WebSocket {
  constructor(...args: ConstructorParameters<typeof WebSocket>) {
    super(...args);
    this.on('error', () => {});
  }
}

const postgres = await startPostgres();
const gateways: GatewayProcess[] = [];
let failed = false;
const stopAll = (): void => {
  for (const { child } of gateways) child.kill('SIGKILL');
  postgres.stop();
};
process.once('uncaughtException', (error) => {
  console.error(error);
  stopAll();
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    stopAll();
    process.exit(1);
  });
}
// Bounded, whatever hangs.
setTimeout(
  () => {
    console.error('not finished in time');
    stopAll();
    process.exit(1);
  },
  (SECONDS + 70) * 1_000,
).unref();
try {
  await stress();
} catch (error) {
  failed = true;
  console.error(error);
} finally {
  stopAll();
}
process.exit(failed ? 1 : 0);

async function stress(): Promise<void> {
  const services = await createServices(
    readConfig({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent', DATABASE_POOL: '4' }),
  );
  await importRecords(services, records(), { name: 'stress' });
  const tokens = await Promise.all(
    Array.from(
      { length: READERS },
      async (_, i) => (await createSession(services, `reader${i}`)).token,
    ),
  );
  const ids = await idsOf(services);
  const ports = [await freePort(), await freePort()];
  for (const port of ports)
    gateways.push(await startGatewayProcess(port, { DATABASE_URL: postgres.url }));

  /** Highest number that was committed for each feed. */
  const committed = new Map<number, number>();
  /** Keys that were deleted, assigned, unassigned or pinned, each with the user who alone hears of it, or -1 for all. */
  const once = new Map<number, number>();
  const next = Object.fromEntries(kinds.map((kind) => [kind, firstOf(kind)])) as Record<
    Kind,
    number
  >;
  const count = {
    transactions: 0,
    writes: 0,
    delete: 0,
    assign: 0,
    unassign: 0,
    pin: 0,
    rolledBack: 0,
    unknown: 0,
    polls: 0,
    pollErrors: 0,
    feedsPolled: 0,
    connections: 0,
    drops: 0,
    events: 0,
    resyncs: 0,
  };
  let writing = true;
  let reading = true;
  const anyGateway = (): string => gateways[random(0, gateways.length)]?.url ?? '';

  const write = async (): Promise<void> => {
    let client: pg.Client | undefined;
    while (writing) {
      let committing = false;
      try {
        if (!client) {
          client = new pg.Client({
            connectionString: postgres.url,
            connectionTimeoutMillis: 2_000,
          });
          client.on('error', () => {});
          await client.connect();
        }
        await client.query('BEGIN');
        const written: [number, number][] = [];
        const done: [number, number][] = [];
        for (let n = random(1, 4); n > 0; n--) {
          const kind = Math.random() < 0.5 ? kinds[random(0, kinds.length)] : undefined;
          const key = kind && next[kind] < firstOf(kind) + ONCE ? next[kind]++ : undefined;
          if (kind && key !== undefined) {
            const user = kind === 'pin' ? random(0, READERS) : -1;
            await client.query(...statementOf(kind, key, ids, user));
            done.push([key, user]);
            continue;
          }
          const { rows } = await client.query(
            'UPDATE feed SET priority = priority + 1 WHERE feed_key = $1 RETURNING feed_key, priority',
            [random(1, FEEDS + 1)],
          );
          written.push([Number(rows[0].feed_key), rows[0].priority]);
          await pause(Math.random() < 0.05 ? random(500, 2_500) : random(0, 30));
        }
        if (Math.random() < 0.1) {
          await client.query('ROLLBACK');
          count.rolledBack++;
          continue;
        }
        committing = true;
        await client.query('COMMIT');
        count.transactions++;
        count.writes += written.length;
        for (const [key, user] of done) {
          once.set(key, user);
          const kind = kindOf(key);
          if (kind) count[kind]++;
        }
        for (const [key, value] of written)
          committed.set(key, Math.max(committed.get(key) ?? 0, value));
      } catch {
        if (committing) count.unknown++;
        await client?.end().catch(() => {});
        client = undefined;
        await pause(100);
      }
    }
    await client?.end().catch(() => {});
  };

  type Seen = Map<number, number>;
  const readers: { name: string; user: number; seen: Seen }[] = [];
  const newReader = (name: string, token: string): Seen => {
    const seen: Seen = new Map();
    readers.push({ name, user: tokens.indexOf(token), seen });
    return seen;
  };
  /** The highest number of a feed that is updated; of the others 1 when what happens to it was heard of: it came, was pinned, or went. */
  const note = (seen: Seen, key: number, priority: number, pinned: boolean): void => {
    const kind = kindOf(key);
    if (kind === undefined) seen.set(key, Math.max(seen.get(key) ?? 0, priority));
    else if (kind === 'assign' || (kind === 'pin' && pinned)) seen.set(key, 1);
  };
  const noteGone = (seen: Seen, key: number): void => {
    const kind = kindOf(key);
    if (kind === 'delete' || kind === 'unassign') seen.set(key, 1);
  };

  const poll = async (name: string, token: string, byTime: boolean): Promise<void> => {
    const seen = newReader(name, token);
    let [time, cursor] = ['', ''];
    let truncated = false;
    while (reading) {
      try {
        const headers: Record<string, string> = { 'x-service-csrf-token-x': token };
        if (cursor && (!byTime || truncated)) headers['x-resume-cursor'] = cursor;
        const reply = await fetch(
          `${anyGateway()}/task/v1/feeds/list-latest?projections=priority,pin&from_time=${time || '0'}`,
          { headers, signal: AbortSignal.timeout(5_000) },
        );
        const body = (await reply.json()) as {
          errorCode?: string;
          feed_list_latest?: { feed_key: number; priority: number; pin: number }[];
        };
        if (body.errorCode === 'E116') count.resyncs++;
        if (body.errorCode && body.errorCode !== 'E404') throw new Error(body.errorCode);
        for (const item of body.feed_list_latest ?? [])
          note(seen, item.feed_key, item.priority, item.pin === 1);
        for (const key of reply.headers.get('x-removed-feed-keys')?.split(',') ?? [])
          noteGone(seen, Number(key));
        count.polls++;
        count.feedsPolled += body.feed_list_latest?.length ?? 0;
        // Truncated replies have none: the last of their series has the time to go on from.
        time = reply.headers.get('x-last-fetch-time') ?? time;
        cursor = reply.headers.get('x-resume-cursor') ?? cursor;
        truncated = reply.headers.get('x-result-truncated') === 'true';
        await pause(truncated ? 0 : random(50, 1_500));
      } catch {
        count.pollErrors++;
        await pause(100);
      }
    }
  };

  const QUERY =
    'subscription ($after: ChangeCursor) { feedChanged(after: $after) { __typename ... on FeedUpserted { cursor feed { feedKey priority pin } } ... on FeedRemoved { cursor feedKey } ... on FeedStreamEnded { cursor } ... on ResyncRequired { reason } } }';
  const subscribe = async (
    name: string,
    token: string,
    kind: 'sse' | 'ws',
    first: string,
  ): Promise<void> => {
    const seen = newReader(name, token);
    let cursor = first;
    const take = (result: any): void => {
      const event = result?.data?.feedChanged;
      if (!event) return;
      if (event.__typename === 'ResyncRequired') count.resyncs++;
      if (event.feed) note(seen, event.feed.feedKey, event.feed.priority, event.feed.pin);
      if (event.__typename === 'FeedRemoved') noteGone(seen, event.feedKey);
      if (event.cursor) cursor = event.cursor;
      count.events++;
    };
    while (reading) {
      count.connections++;
      const until = Date.now() + random(300, 4_000);
      try {
        if (kind === 'ws') await readWs(token, cursor, until, take);
        else await readSse(token, cursor, until, take);
      } catch {
        await pause(50);
      }
      if (Date.now() >= until) count.drops++;
      await pause(random(0, 500));
    }
  };
  const readSse = async (
    token: string,
    after: string,
    until: number,
    take: (result: any) => void,
  ): Promise<void> => {
    const response = await fetch(`${anyGateway()}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'x-service-csrf-token-x': token,
      },
      body: JSON.stringify({ query: QUERY, variables: { after } }),
      signal: AbortSignal.timeout(until - Date.now()),
    });
    let buffer = '';
    for await (const chunk of (response.body as any).pipeThrough(new TextDecoderStream())) {
      buffer += chunk;
      for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
        const data = /^event: next\ndata: (.*)$/m.exec(buffer.slice(0, end))?.[1];
        buffer = buffer.slice(end + 2);
        if (data) take(JSON.parse(data));
      }
    }
  };
  const readWs = (
    token: string,
    after: string,
    until: number,
    take: (result: any) => void,
  ): Promise<void> =>
    new Promise((resolve) => {
      const client = createClient({
        url: `${anyGateway().replace('http', 'ws')}/graphql`,
        webSocketImpl: QuietWebSocket,
        connectionParams: { 'X-service-csrf-token-X': token },
        retryAttempts: 0,
      });
      const done = (): void => {
        clearTimeout(timer);
        client.terminate();
        resolve();
      };
      const timer = setTimeout(done, until - Date.now());
      client.subscribe(
        { query: QUERY, variables: { after } },
        { next: take, error: done, complete: done },
      );
    });

  const first = await fetch(`${anyGateway()}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-csrf-token-x': tokens[0] ?? '' },
    body: JSON.stringify({ query: '{ viewer { feeds(first: 1) { changeCursor } } }' }),
  });
  const start = (await first.json()).data.viewer.feeds.changeCursor as string;
  const reader = (index: number): string => tokens[index % tokens.length] ?? '';
  const reads = [
    ...Array.from({ length: 4 }, (_, i) => poll(`poller by time ${i}`, reader(i), true)),
    ...Array.from({ length: 4 }, (_, i) => poll(`poller by cursor ${i}`, reader(i), false)),
    ...Array.from({ length: 6 }, (_, i) => subscribe(`SSE ${i}`, reader(i), 'sse', start)),
    ...Array.from({ length: 6 }, (_, i) => subscribe(`WebSocket ${i}`, reader(i), 'ws', start)),
  ];
  // The first polls fetch the window, which the import fills: let them get through before writing.
  await pause(2_000);
  const begun = Date.now();
  const writes = Array.from({ length: WRITERS }, write);
  await pause(SECONDS * 400);
  gateways[0]?.child.kill('SIGKILL');
  await pause(SECONDS * 150);
  gateways[0] = await startGatewayProcess(ports[0] ?? 0, { DATABASE_URL: postgres.url });
  await pause(SECONDS * 100);
  postgres.crash();
  await pause(Math.max(0, begun + SECONDS * 1_000 - Date.now()));
  writing = false;
  await Promise.race([Promise.all(writes), pause(5_000)]);

  const missing = (): { name: string; lost: number; what: string }[] =>
    readers
      .map(({ name, user, seen }) => {
        const updates = [...committed].filter(
          ([key, value]) => (seen.get(key) ?? 0) < value,
        ).length;
        const others = [...once]
          .filter(([key, whom]) => (whom === -1 || whom === user) && !seen.has(key))
          .map(([key]) => kindOf(key));
        return {
          name,
          lost: updates + others.length,
          what: [
            updates > 0 ? `${updates} updates` : '',
            ...kinds.map((kind) =>
              others.includes(kind)
                ? `${others.filter((one) => one === kind).length} of ${kind}`
                : '',
            ),
          ]
            .filter(Boolean)
            .join(', '),
        };
      })
      .filter(({ lost }) => lost > 0);
  const settled = Date.now();
  while (missing().length > 0 && Date.now() < settled + 15_000) await pause(100);
  const lost = missing();
  const settle = Date.now() - settled;
  reading = false;
  await Promise.race([Promise.all(reads), pause(6_000)]);
  console.log(
    JSON.stringify({
      seconds: SECONDS,
      writers: WRITERS,
      ...count,
      feedsWritten: committed.size,
      readers: readers.length,
      settledInMs: settle,
      lost: lost.reduce((sum, item) => sum + item.lost, 0),
    }),
  );
  for (const item of lost) console.log(`  ${item.name} lost ${item.lost}: ${item.what}`);
  if (
    lost.length > 0 ||
    count.writes === 0 ||
    kinds.some((kind) => count[kind] === 0) ||
    count.resyncs > 0
  )
    failed = true;
}

async function* records(): AsyncGenerator<{ line: number; text: string }> {
  let line = 0;
  const record = (value: object): { line: number; text: string } => ({
    line: ++line,
    text: JSON.stringify(value),
  });
  yield record({ record: 'domain', name: 'stress' });
  yield record({ record: 'dept', domain: 'stress', name: 'Floor' });
  for (let i = 0; i < READERS; i++)
    yield record({
      record: 'user',
      domain: 'stress',
      login: `reader${i}`,
      display_name: `Reader ${i}`,
      depts: [{ name: 'Floor' }],
    });
  for (let key = 1; key <= FEEDS; key++)
    yield record({
      feed_key: key,
      domain: 'stress',
      kind: 'MESSAGE',
      feed_title: `Feed ${key}`,
      priority: 0,
      assignments: [{ dept: 'Floor' }],
    });
  for (const kind of kinds) {
    for (let key = firstOf(kind); key < firstOf(kind) + ONCE; key++) {
      yield record({
        feed_key: key,
        domain: 'stress',
        kind: 'MESSAGE',
        feed_title: `To ${kind} ${key}`,
        priority: 0,
        assignments: kind === 'assign' ? [] : [{ dept: 'Floor' }],
      });
    }
  }
}

interface Ids {
  dept: number;
  users: number[];
}

async function idsOf(services: Awaited<ReturnType<typeof createServices>>): Promise<Ids> {
  const rows = await services.db.rows(
    `SELECT u.id, ud.dept_id FROM "user" u JOIN user_dept ud ON ud.user_id = u.id ORDER BY u.login`,
    [],
  );
  return { dept: Number(rows[0]?.[1]), users: rows.map(([id]) => Number(id)) };
}

/** What happens once to a feed of a kind; `user` counts from 0. */
function statementOf(
  kind: Kind,
  key: number,
  { dept, users }: Ids,
  user: number,
): [string, unknown[]] {
  switch (kind) {
    case 'delete':
      return ['UPDATE feed SET deleted_at = now() WHERE feed_key = $1', [key]];
    case 'assign':
      return ['INSERT INTO feed_assignment (feed_key, dept_id) VALUES ($1, $2)', [key, dept]];
    case 'unassign':
      return ['DELETE FROM feed_assignment WHERE feed_key = $1', [key]];
    case 'pin':
      return [
        'INSERT INTO feed_user_state (user_id, feed_key, pinned, updated_at) VALUES ($1, $2, true, now())',
        [users[user], key],
      ];
  }
}
