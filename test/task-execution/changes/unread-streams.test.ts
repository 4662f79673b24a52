import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesSent } from '../../../src/server/http/answers-sent.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { heapGrowth } from '../../support/memory.ts';
import { feed, organisation } from '../../support/records.ts';

const CHANGED =
  'subscription ($after: ChangeCursor) { feedChanged(after: $after) { ... on FeedUpserted { feed { feedKey feedDescription } } } }';
const FEEDS = 60;
const STREAMS = 20;
/** In characters of ASCII: one byte each. */
const DESCRIPTION = 90_000;
let app: TestApp;
let ana: string;

beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, ...Array.from({ length: FEEDS }, (_, i) => feed(i + 1))]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());

/** A stream over a connection of its own, whose client reads only when it is told to. */
class UnreadStream {
  readonly keys = new Set<string>();
  readonly #socket: Socket;
  #last = '';

  constructor(after: string | null, method: 'GET' | 'POST' = 'POST') {
    const body = JSON.stringify({ query: CHANGED, variables: { after } });
    const { hostname, port } = new URL(app.url);
    this.#socket = connect(Number(port), hostname).setEncoding('latin1');
    const headers = `Host: ${hostname}\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${ana}\r\n`;
    this.#socket.write(
      method === 'GET'
        ? `GET /graphql?query=${encodeURIComponent(CHANGED)} HTTP/1.1\r\n${headers}\r\n`
        : `POST /graphql HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  /** Reads until it is enough. */
  read(enough: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (chunk: string): void => {
        const text = this.#last + chunk;
        for (const [, key] of text.matchAll(/"feedKey":(\d+),/g)) this.keys.add(key!);
        this.#last = chunk.slice(-40);
        if (!enough()) return;
        this.#socket.pause().off('data', take).off('close', fail);
        resolve();
      };
      const fail = (): void => reject(new Error(`the stream ended: ${this.#last}`));
      this.#socket.on('data', take).once('close', fail).resume();
    });
  }

  /** Reads all that comes from now on. */
  readAll(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Changes some feeds; all of them to descriptions of the usual length, unless it is told. */
async function change({ feeds = FEEDS, length = DESCRIPTION } = {}): Promise<void> {
  await app.services.db.pool.query(
    `UPDATE feed SET version = version + 1, description = repeat(left(version::text, 1), ${length}) WHERE feed_key <= ${feeds}`,
  );
}

async function position(): Promise<string> {
  const { data } = await app.gql('{ viewer { feeds(first: 1) { changeCursor } } }', {}, ana);
  return data.viewer.feeds.changeCursor;
}

it.each(['from a position', 'live'])(
  'streams that nobody reads keep few large feeds in memory and lose none, %s',
  async (kind) => {
    const after = kind === 'live' ? null : await position();
    if (after !== null) await change();
    const grown = heapGrowth(0);
    const streams = Array.from({ length: STREAMS }, () => new UnreadStream(after));
    await Promise.all(streams.map((stream) => stream.read(() => true)));
    if (after === null) await change();
    await Promise.all(streams.map((stream) => stream.read(() => stream.keys.size > 0)));
    expect(grown()).toBeLessThan((STREAMS * FEEDS * DESCRIPTION) / 4);
    const [first, ...others] = streams;
    for (const stream of others) stream.close();
    await first!.read(() => first!.keys.size === FEEDS);
    first!.close();
  },
);

it.each(['GET', 'POST'] as const)(
  'a large event counts among what is being sent until its client has taken it, by %s',
  async (method) => {
    const stream = new UnreadStream(null, method);
    await stream.read(() => true);
    await change({ feeds: 1, length: 24_000_000 });
    // The rest is in the buffers of the connection.
    await expect.poll(bytesSent).toBeGreaterThan(12_000_000);
    stream.readAll();
    await expect.poll(bytesSent).toBe(0);
    stream.close();
  },
);
