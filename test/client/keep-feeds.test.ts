import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createClient, type Client } from '../../src/client/create-client.ts';
import { freshDatabase, startApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';
import { keepFeeds, type KeptFeed } from './keep-feeds.ts';

let app: TestApp;
let client: Client;
let connections: number;
let stop: AbortController;

/** A gateway with the feeds 1 to 3 in progress, and a client that finds whichever gateway is there. */
async function start(options: TestAppOptions = {}): Promise<void> {
  app = await startApp(options);
  await app.load([
    ...organisation,
    ...Array.from({ length: 3 }, (_, index) => feed(index + 1, { status: 'P' })),
  ]);
  const send: typeof fetch = (_, init) => (connections++, fetch(`${app.url}/graphql`, init));
  client = createClient({
    url: 'http://gateway.example/graphql',
    token: await app.signedIn('ana'),
    retry: { firstMs: 20, mostMs: 200 },
    fetch: send,
  });
}
beforeEach(() => {
  connections = 0;
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await app.close();
});

const sql = (text: string) => app.services.db.pool.query(text);
const review = (key: number) =>
  sql(`UPDATE feed SET status = 'R', version = version + 1 WHERE feed_key = ${key}`);

/** Reads on until `enough` holds of the feeds. */
async function until(
  states: ReturnType<typeof keepFeeds>,
  enough: (feeds: ReadonlyMap<string, KeptFeed>) => boolean,
): Promise<Record<number, string>> {
  for (;;) {
    const { value } = await states.next();
    if (enough(value))
      return Object.fromEntries(
        [...value.values()].map(({ feedKey, status }) => [feedKey, status]),
      );
  }
}
const has = (key: number, status: string) => (feeds: ReadonlyMap<string, KeptFeed>) =>
  [...feeds.values()].some((one) => one.feedKey === key && one.status === status);

it('goes on behind the last event when the gateway stops and another one starts', async () => {
  // A database that outlives its gateway.
  const folder = await mkdtemp(join(tmpdir(), 'trivium-follow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const database: NonNullable<TestAppOptions['database']> =
    process.env['TEST_DATABASE_URL'] === undefined
      ? { kind: 'embedded', dataDir: folder }
      : await freshDatabase();
  await start({ database });
  const states = keepFeeds(client, stop.signal);
  expect(await until(states, (feeds) => feeds.size === 3)).toEqual({
    1: 'IN_PROGRESS',
    2: 'IN_PROGRESS',
    3: 'IN_PROGRESS',
  });
  await review(1);
  await until(states, has(1, 'REVIEWED'));
  const next = until(states, has(2, 'REVIEWED'));
  await app.close();
  app = await startApp({ database });
  await review(2);
  await app.load([feed(4)]);
  expect(await next).toMatchObject({ 1: 'REVIEWED', 2: 'REVIEWED' });
  expect(await until(states, (feeds) => feeds.size === 4)).toEqual({
    1: 'REVIEWED',
    2: 'REVIEWED',
    3: 'IN_PROGRESS',
    4: 'NEW',
  });
}, 300_000);

it('loads the list again when its owner comes to see other things', async () => {
  await start();
  const states = keepFeeds(client, stop.signal);
  await until(states, (feeds) => feeds.size === 3);
  await review(1);
  await until(states, has(1, 'REVIEWED'));
  const before = connections;
  await sql(
    `UPDATE user_dept SET is_home = NOT is_home WHERE user_id = (SELECT id FROM "user" WHERE login = 'ana')`,
  );
  expect(await until(states, () => connections > before)).toEqual({
    1: 'REVIEWED',
    2: 'IN_PROGRESS',
    3: 'IN_PROGRESS',
  });
  await review(3);
  await until(states, has(3, 'REVIEWED'));
}, 300_000);
