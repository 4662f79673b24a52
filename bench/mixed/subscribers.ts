import type { Socket } from 'node:net';
import pg from 'pg';
import { connectTo, encodeRequest } from '../http-load.ts';
import { post } from '../contenders.ts';
import type { UnitViewer } from '../workload.ts';

const QUERY =
  'subscription ($filter: FeedFilter) { feedChanged(filter: $filter) { ... on FeedUpserted { feed { feedKey priority status feedTitle } } } }';
/** Priorities from this one on name the changes whose delay is measured. */
const FIRST_MARK = 1_000_000;

/** Open subscriptions, and the delays from a commit to each of its subscribers in milliseconds. */
export interface Subscribers {
  events: number;
  delays: number[];
  /** Changes a feed of a store, again and again for as long as told; its subscribers are told of each. The delays are those of the last call. */
  measure(seconds: number): Promise<{ expected: number }>;
  close(): Promise<void>;
}

/** Opens this many subscriptions to feeds of stores, as event streams, on all viewers in turn. */
export async function openSubscribers(
  port: number,
  viewers: readonly UnitViewer[],
  feeds: readonly { mark: number }[],
  count: number,
  databaseUrl: string,
): Promise<Subscribers> {
  const committed = new Map<number, number>();
  const arrived: { mark: number; at: number }[] = [];
  const state = { events: 0, delays: [] as number[] };
  const subscribe = (viewer: UnitViewer): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const request = post(
        QUERY,
        { filter: { view: 'STORE_VIEW' } },
        {
          'x-service-csrf-token-x': viewer.token,
          accept: 'text/event-stream',
        },
      );
      let rest = '';
      /** A feed that its user marks comes again with the priority that it had before. */
      const told = new Set<number>();
      const connected = connectTo(port, (chunk) => {
        const text = rest + chunk.toString('latin1');
        if (rest === '') {
          if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 300)));
          resolve(connected);
        }
        const lines = text.split('\n');
        rest = lines.pop() || ' ';
        for (const line of lines) {
          if (!line.startsWith('data: {')) continue;
          state.events++;
          const mark = Number(/"priority":(\d{7,})/.exec(line)?.[1]);
          if (!(mark >= FIRST_MARK) || told.has(mark)) continue;
          told.add(mark);
          arrived.push({ mark, at: performance.now() });
        }
      });
      connected.then((socket) => {
        socket.once('error', reject);
        socket.write(encodeRequest(request));
      }, reject);
    });
  const sockets: Socket[] = [];
  const each = count / viewers.length;
  for (const viewer of viewers)
    sockets.push(...(await Promise.all(Array.from({ length: each }, () => subscribe(viewer)))));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const priorities = new Map<number, number | null>();
  let mark = FIRST_MARK;
  return Object.assign(state, {
    async measure(seconds: number) {
      const first = mark;
      const end = performance.now() + seconds * 1000;
      while (performance.now() < end) {
        const key = feeds[mark % feeds.length]?.mark ?? 0;
        const change = 'UPDATE feed SET priority = $1 WHERE feed_key = $2 RETURNING priority';
        if (!priorities.has(key)) {
          const { rows } = await client.query<{ priority: number | null }>(
            'SELECT priority FROM feed WHERE feed_key = $1',
            [key],
          );
          priorities.set(key, rows[0]?.priority ?? null);
        }
        await client.query(change, [mark, key]);
        committed.set(mark++, performance.now());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
      state.delays = [];
      for (const { mark: of, at } of arrived) {
        const done = of < first ? undefined : committed.get(of);
        // What arrives before the writer knows of its commit took no time.
        if (done !== undefined) state.delays.push(Math.max(0, at - done));
      }
      for (const [key, priority] of priorities)
        await client.query('UPDATE feed SET priority = $1 WHERE feed_key = $2', [priority, key]);
      state.delays.sort((a, b) => a - b);
      return { expected: (mark - first) * each };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await client.end();
    },
  });
}
