import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, vi, type MockInstance } from 'vitest';
import { UnknownOutcomeError, type Database } from '../../src/core/database/db.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

let app: TestApp;
beforeAll(async () => {
  // Statements share round trips in the fast lane only.
  app = await startApp({ fastLane: true });
  await app.services.db.pool.query('CREATE TABLE note (n int)');
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.services.db.pool.query('DELETE FROM note');
});

const notes = async (): Promise<unknown[]> =>
  (await app.services.db.rows('SELECT n FROM note ORDER BY n', [])).flat();
const note = 'INSERT INTO note VALUES ($1)';
const done = async (work: Promise<unknown>): Promise<void> => void (await work);

it('is there with all its statements once it has committed', async () => {
  const result = await app.services.db.transaction(
    async (_, tx) => {
      await tx.rows(note, [1]);
      return tx.rows(`${note} RETURNING n`, [2]);
    },
    (tx) => done(tx.rows(note, [3])),
  );
  expect(result).toEqual([['2']]);
  expect(await notes()).toEqual(['1', '2', '3']);
});

it('sends BEGIN with its first statement and COMMIT with its last', async () => {
  const { db } = app.services;
  let trips: MockInstance | undefined;
  db.pool.once('acquire', (client: pg.PoolClient) => {
    trips = vi.spyOn(client, 'query');
  });
  await db.transaction(
    (_, tx) => tx.rows(note, [1]),
    (tx) => done(tx.rows(note, [2])),
  );
  expect(trips).toHaveBeenCalledTimes(2);
  trips?.mockRestore();
  expect(await notes()).toEqual(['1', '2']);
});

it('a mark, the reading of its feed and its entry in the audit log are one round trip', async () => {
  await app.load([...organisation, feed(1, {})]);
  const token = await app.signedIn('ana');
  const mark = (pinned: boolean): ReturnType<TestApp['gql']> =>
    app.gql(
      `mutation ($input: SetFeedStateInput!) { setFeedState(input: $input) { ... on SetFeedStatePayload { results { feed { feedKey pin } } } } }`,
      { input: { feedIds: [Buffer.from('Feed:1').toString('base64')], pinned } },
      token,
    );
  await mark(true);
  const sent = new Map<pg.PoolClient, MockInstance>();
  const trips: { texts?: string[]; text?: string }[] = [];
  const watch = (client: pg.PoolClient): void => {
    if (!sent.has(client)) sent.set(client, vi.spyOn(client, 'query'));
  };
  app.services.db.pool.on('acquire', watch);
  const { data } = await mark(false);
  app.services.db.pool.off('acquire', watch);
  for (const spy of sent.values()) {
    trips.push(...spy.mock.calls.map(([query]) => query as (typeof trips)[number]));
    spy.mockRestore();
  }
  expect(data.setFeedState.results).toEqual([{ feed: { feedKey: 1, pin: false } }]);
  const sets = 'INSERT INTO feed_user_state';
  const write = trips.find(({ texts }) => texts?.some((text) => text.includes(sets)));
  const read = write?.texts?.[2] ?? '';
  expect(write?.texts).toEqual([
    'BEGIN',
    expect.stringContaining(sets),
    expect.stringContaining('FROM feed f'),
    expect.stringContaining('INSERT INTO audit_log'),
    'COMMIT',
  ]);
  // Other trips are those of jobs in the background, and the session's.
  const others = trips.filter((trip) => trip !== write);
  expect(others.flatMap(({ texts = [], text = '' }) => [...texts, text])).not.toContain(read);
});

it('leaves nothing when its first, a later or its last statement fails', async () => {
  const { db } = app.services;
  const fails = 'SELECT 1 / 0';
  const none = (): Promise<void> => Promise.resolve();
  for (const [first, later, last] of [
    [fails, note, note],
    [note, fails, note],
    [note, note, fails],
  ] as const) {
    const run = (sql: string) => (sql === fails ? [] : [1]);
    await expect(
      db.transaction(
        async (_, tx) => {
          await tx.rows(first, run(first));
          await tx.rows(later, run(later));
        },
        (tx) => done(tx.rows(last, run(last))),
      ),
    ).rejects.toThrow('zero');
    expect(await notes()).toEqual([]);
  }
  const refused = async (_: unknown, tx: typeof db): Promise<void> => {
    await tx.rows(note, [1]);
    throw new Error('refused');
  };
  await expect(db.transaction(refused, none)).rejects.toThrow('refused');
  await expect(db.transaction(refused)).rejects.toThrow('refused');
  await expect(
    db.transaction(
      (_, tx) => tx.rows(note, [1]),
      () => Promise.reject(new Error('refused at last')),
    ),
  ).rejects.toThrow('refused at last');
  expect(await notes()).toEqual([]);
});

it('leaves nothing when the database refuses to commit', async () => {
  const { db } = app.services;
  await db.pool.query(
    'ALTER TABLE note ADD CONSTRAINT once UNIQUE (n) DEFERRABLE INITIALLY DEFERRED',
  );
  try {
    await expect(
      db.transaction(
        (_, tx) => tx.rows(note, [1]),
        (tx) => done(tx.rows(note, [1])),
      ),
    ).rejects.toThrow();
    expect(await notes()).toEqual([]);
  } finally {
    await db.pool.query('ALTER TABLE note DROP CONSTRAINT once');
  }
});

it('has the statements of Prisma and of transactions within it, and may have none', async () => {
  const { db } = app.services;
  const nothing = (): Promise<void> => Promise.resolve();
  expect(await db.transaction(() => Promise.resolve('nothing'), nothing)).toBe('nothing');
  const inner = (_: unknown, tx: typeof db): Promise<unknown> => tx.rows(note, [2]);
  await expect(
    db.transaction(async (_, tx) => {
      await tx.prisma.domain.findFirst();
      await tx.transaction(inner, nothing);
      await tx.transaction(inner);
      throw new Error('all of it');
    }, nothing),
  ).rejects.toThrow('all of it');
  expect(await notes()).toEqual([]);
});

it('does not tell how it ended when its connection is lost during the commit', async () => {
  const { db } = app.services;
  // The embedded database has no connection to lose.
  if (db.embedded) return;
  const lost = db.transaction(
    (_, tx) => tx.rows(note, [1]),
    (tx) => done(tx.rows('SELECT pg_terminate_backend(pg_backend_pid())', [])),
  );
  await expect(lost).rejects.toThrow(UnknownOutcomeError);
  expect(await notes()).toEqual([]);
});

it('refuses a statement that comes when it has ended, and leaves its connection to others as it was', async () => {
  const { db } = app.services;
  const late: (() => Promise<unknown>)[] = [];
  const recordLate = (tx: Database): void =>
    void late.push(
      () => tx.rows(note, [7]),
      () => tx.prisma.domain.count(),
    );
  await db.transaction(
    (_, tx) => Promise.resolve(recordLate(tx)),
    async (tx) => {
      await tx.rows(note, [1]);
      late.push(() => tx.rows(note, [8]));
    },
  );
  await expect(
    db.transaction(
      (_, tx) => {
        recordLate(tx);
        return Promise.reject(new Error('nothing was sent'));
      },
      (tx) => done(tx.rows(note, [2])),
    ),
  ).rejects.toThrow('nothing was sent');
  for (const statement of late) await expect(statement()).rejects.toThrow('over');
  expect(await notes()).toEqual(['1']);
  await db.rows(note, [3]);
  expect(await notes()).toEqual(['1', '3']);
});
