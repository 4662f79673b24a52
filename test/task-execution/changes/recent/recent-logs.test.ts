import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RecentLogs } from '../../../../src/task-execution/changes/recent/recent-logs.ts';
import type { ChangePlace } from '../../../../src/core/context/change-follower.ts';
import { decodeChangeCursor } from '../../../../src/task-execution/change-log/change-position.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import { feed, organisation } from '../../../support/records.ts';

let app: TestApp;
let ana: string;
beforeAll(async () => {
  app = await startApp();
  await app.load([...organisation, ...Array.from({ length: 12 }, (_, i) => feed(i + 1))]);
  ana = await app.signedIn('ana');
});
afterAll(() => app.close());
afterEach(() => vi.restoreAllMocks());

const POLL = `query ($after: ChangeCursor, $keys: [SafeInt!], $first: Int! = 100) { viewer { feedChanges(after: $after, first: $first, feedKeys: $keys) { hasMore endCursor edges { cursor node {
  __typename ... on FeedUpserted { changedAt feed { feedKey feedTitle pin status } } ... on FeedRemoved { feedKey } ... on ResyncRequired { reason } } } } } }`;
interface Polled {
  hasMore: boolean;
  endCursor: string;
  edges: { cursor: string; node: object }[];
}
const poll = async (after: string, keys?: number[], first?: number): Promise<Polled> => {
  const { data, errors } = await app.gql(POLL, { after, keys, first }, ana);
  expect(errors).toBeUndefined();
  return data.viewer.feedChanges;
};
const position = async (): Promise<string> =>
  (await app.gql('{ viewer { feeds(first: 1) { changeCursor } } }', {}, ana)).data.viewer.feeds
    .changeCursor;

/** The same poll, reading the log itself. */
async function pollLog(after: string, keys?: number[]): Promise<Polled> {
  const { changes } = app.services;
  const recent = changes.recent.bind(changes);
  const unknown = vi.spyOn(changes, 'known').mockReturnValue(undefined);
  const forgetful = vi
    .spyOn(changes, 'recent')
    .mockImplementation(async (id) => ({ ...(await recent(id)), beyond: () => undefined }));
  try {
    return await poll(after, keys);
  } finally {
    forgetful.mockRestore();
    unknown.mockRestore();
  }
}

/** The same with the places of the changes as cursors, which also tell how far the log had come: a job may write meanwhile. */
function placed({ edges, hasMore }: Polled): object {
  return {
    hasMore,
    edges: edges.map(({ cursor, ...edge }) => {
      const { from, xid, seq } = decodeChangeCursor(cursor).position as ChangePlace;
      return { ...edge, place: { from, xid, seq } };
    }),
  };
}

/** How often the log itself is read for polls, until it is asked. */
function countReads(): () => number {
  const { db } = app.services;
  const within = db.within.bind(db);
  let count = 0;
  const spy = vi.spyOn(db, 'within').mockImplementation((signal) => {
    const inner = within(signal);
    const rows = inner.rows.bind(inner);
    return Object.assign(inner, {
      rows: (...args: Parameters<typeof rows>) => {
        if (args[0].includes('scanned AS MATERIALIZED')) count++;
        return rows(...args);
      },
    });
  });
  return () => {
    spy.mockRestore();
    return count;
  };
}

/** Resolves when the gateway listens; an embedded database has no connection of its own for it. */
async function listening(): Promise<void> {
  if (process.env['TEST_DATABASE_URL'] === undefined) return;
  await vi.waitFor(() => app.services.db.notifications.confirm(), { timeout: 20_000 });
}

it('the first poll begins to listen, and what it read serves the next', async () => {
  const forget = vi.spyOn(RecentLogs.prototype, 'forget');
  // The first request makes sessions listen; nobody waits for their connection.
  const start = await position();
  await listening();
  await poll(start);
  // Behind the statement that listens, on the same connection.
  await listening();
  await poll(await position());
  expect(forget).not.toHaveBeenCalled();
});

it('polls of recent changes tell what the log tells, and do not read it', async () => {
  await poll(await position());
  const before = await position();
  await app.load([feed(1, { feed_title: 'New' }), feed(2, { deleted: true }), feed(30)]);
  const between = await position();
  await app.load([
    feed(3, { user_states: [{ user: 'ana', pin: 1 }] }),
    feed(4, { user_states: [{ user: 'bob', pin: 1 }] }),
    feed(5, { unit: 'Berlin', is_confidential: true }),
    feed(1, { feed_title: 'Newer' }),
  ]);
  await app.services.db.pool.query('DELETE FROM feed_assignment WHERE feed_key = 6');
  let ofLog = 0;
  for (const after of [before, between, await position()])
    for (const keys of [undefined, [1, 3, 30]]) {
      const read = countReads();
      const expected = await pollLog(after, keys);
      ofLog += read();
      const reads = countReads();
      expect(placed(await poll(after, keys))).toEqual(placed(expected));
      expect(reads()).toBe(0);
    }
  expect(ofLog).toBeGreaterThan(0);
  expect(JSON.stringify(await poll(before))).toMatch(
    /"feedTitle":"Newer".*"pin":true|"pin":true.*"feedTitle":"Newer"/,
  );
});

it('what was written before the first poll is known as far as marks tell', async () => {
  const { db } = app.services;
  const place = async (): Promise<ChangePlace> => {
    const { position: at } = decodeChangeCursor(await position());
    return { from: at.from, to: at.from, xid: 0, seq: 0 };
  };
  const early = await place();
  await app.load([feed(7, { feed_title: 'Other' })]);
  await db.pool.query('SELECT change_log_mark()');
  await db.pool.query(`UPDATE change_mark SET at = at - interval '1 hour'`);
  const late = await place();
  await app.load([feed(8, { feed_title: 'Another' })]);
  const { rows: lists } = await db.pool.query<{ list: number; subjectId: number; domain: number }>(
    `SELECT l.list, l.subject_id AS "subjectId", f.domain_id AS domain FROM feed_listing l JOIN feed f USING (feed_key) WHERE feed_key = 8`,
  );
  const reader = { userId: 0, lists, homeDeptIds: [] };
  const recent = await new RecentLogs(db).upToNow(lists[0]?.domain ?? 0);
  const to = recent.head.now;
  expect(recent.beyond({ ...early, to }, reader, 100)).toBeUndefined();
  expect(recent.beyond({ ...late, to }, reader, 100)?.map(({ feedKey }) => feedKey)).toEqual([8]);
});

it('polls at the same time, each after a change, all tell of it', async () => {
  await poll(await position());
  for (let round = 0; round < 5; round++) {
    const after = await position();
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        await app.load([feed(n + 7, { feed_title: `${round} ${n}` })]);
        return JSON.stringify(await poll(after));
      }),
    );
    answers.forEach((answer, n) => expect(answer).toContain(`"feedTitle":"${round} ${n}"`));
  }
});

/** Polls, and holds back the read of the log until the feeds that were known to have changed are read and this is done. */
async function pollMeanwhile(
  after: string,
  meanwhile: () => Promise<unknown>,
  first?: number,
): Promise<Polled> {
  const { changes, db } = app.services;
  const recent = changes.recent.bind(changes);
  const read = db.read.bind(db);
  let done = (): void => undefined;
  const feedsRead = new Promise<void>((resolve) => (done = resolve));
  const reads = vi.spyOn(db, 'read').mockImplementation(async (sql, ...rest) => {
    const rows = await read(sql, ...rest);
    if (sql.includes('EXISTS (SELECT FROM feed_listing')) done();
    return rows;
  });
  const logReads = vi.spyOn(changes, 'recent').mockImplementationOnce(async (id) => {
    await feedsRead;
    reads.mockRestore();
    await meanwhile();
    return recent(id);
  });
  try {
    return await poll(after, undefined, first);
  } finally {
    reads.mockRestore();
    logReads.mockRestore();
  }
}

const titles = ({ edges }: Polled): unknown[] =>
  edges.map(({ node }) => {
    const { feed, feedKey } = node as { feed?: { feedTitle: string }; feedKey?: number };
    return feed?.feedTitle ?? feedKey;
  });

it('a poll reads the feeds that are known to have changed while the log is read', async () => {
  await poll(await position());
  const after = await position();
  const rename = async (title: string, ...keys: number[]): Promise<void> => {
    for (const key of keys) await app.load([feed(key, { feed_title: `${title} ${key}` })]);
  };
  await rename('First', 8, 9, 10, 11);
  expect(titles(await poll(after))).toEqual(['First 8', 'First 9', 'First 10', 'First 11']);
  const polled = await pollMeanwhile(after, async () => {
    await rename('Second', 9, 12);
    await app.load([feed(10, { deleted: true })]);
  });
  expect(titles(polled)).toEqual(['First 8', 'First 11', 'Second 9', 'Second 12', 10]);
  expect(polled.hasMore).toBe(false);
  expect(titles(await poll(polled.endCursor))).toEqual([]);
  // A client may stop at any change.
  const stopped = polled.edges[2]?.cursor ?? '';
  expect(titles(await poll(stopped))).toEqual(['Second 12', 10]);
});

it('a poll of a few feeds leaves to the next what it has no room for, wherever the log names it', async () => {
  await poll(await position());
  const after = await position();
  await app.load([feed(8, { feed_title: 'Third 8' })]);
  await app.load([feed(9, { feed_title: 'Third 9' })]);
  await poll(after);
  for (const first of [1, 2, 3]) {
    const meanwhile = async (): Promise<void> => {
      await app.load([feed(8, { feed_title: `Fourth ${first}` })]);
      await app.load([feed(11, { feed_title: `Fifth ${first}` })]);
    };
    let polled = await pollMeanwhile(after, meanwhile, first);
    const told = titles(polled);
    expect(told.length).toBeLessThanOrEqual(first);
    for (let polls = 0; polled.hasMore && polls < 10; polls++)
      told.push(...titles((polled = await poll(polled.endCursor, undefined, first))));
    expect(polled.hasMore).toBe(false);
    expect(told).toContain('Third 9');
    expect(told.slice(-2)).toEqual([`Fourth ${first}`, `Fifth ${first}`]);
    await poll(after);
  }
});

it('a poll from beyond what the gateway knows reads the log first, and tells nothing again', async () => {
  await poll(await position());
  await app.load([feed(9, { feed_title: 'Fresh' })]);
  const after = await position();
  expect(titles(await poll(after))).toEqual([]);
});

it('a poll whose viewer gets other lists while its feeds are read says so', async () => {
  const after = await position();
  await app.load([feed(8, { feed_title: 'Sixth' })]);
  expect(titles(await poll(after))).toEqual(['Sixth']);
  const { pool } = app.services.db;
  const polled = await pollMeanwhile(after, () =>
    pool.query(
      `DELETE FROM user_dept WHERE user_id = (SELECT id FROM "user" WHERE login = 'ana') AND NOT is_home`,
    ),
  );
  expect(JSON.stringify(polled.edges)).toMatch(/Your departments, unit or time zone have changed/);
  expect(titles(await poll(polled.endCursor))).toEqual([]);
});

it('a poll whose log begins anew while its feeds are read says so', async () => {
  const after = await position();
  await app.load([feed(1, { feed_title: 'Old' })]);
  expect(titles(await poll(after))).toEqual(['Old']);
  const polled = await pollMeanwhile(after, () =>
    app.services.db.pool.query(`UPDATE change_log_state SET log_id = 'another'`),
  );
  expect(polled.edges.map(({ node }) => node)).toEqual([
    {
      __typename: 'ResyncRequired',
      reason: 'The position belongs to another change log: reload with list',
    },
  ]);
});
