import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { freshDatabase, NOON, startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

/** Two gateways on one server. The embedded database has only one gateway, which asks it each time. */
const gateways: TestApp[] = [];
const onServer = inject('template').kind === 'server';
const VIEWER = '{ viewer { displayName timeZone } }';

beforeAll(async () => {
  if (!onServer) return;
  const database = await freshDatabase();
  gateways.push(await startApp({ database }), await startApp({ database }));
  await gateways[0]?.load([...organisation, feed(1)]);
});
afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

function both(): { here: TestApp; there: TestApp } {
  const [here, there] = gateways;
  if (!here || !there) throw new Error('two gateways were to be started');
  return { here, there };
}

const status = async (app: TestApp, token: string): Promise<number> =>
  (await app.rest('/task/v1/feeds/list', token)).status;

/** How many sessions a gateway has read from the database. */
function countReads(app: TestApp): () => number {
  const read = vi.spyOn(app.services.db, 'read');
  return () => read.mock.calls.filter(([sql]) => sql.includes('FROM session s')).length;
}

/** Requests a page until the gateway answers five times without asking the database for the session. */
async function remembered(app: TestApp, token: string): Promise<void> {
  const reads = countReads(app);
  await expect
    .poll(
      async () => {
        const before = reads();
        for (let request = 0; request < 5; request++) expect(await status(app, token)).toBe(200);
        return reads() - before;
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(0);
}

it('a session that ends is refused here at once, and elsewhere when told', async () => {
  if (!onServer) return;
  const { here, there } = both();
  for (let round = 0; round < 10; round++) {
    const token = await here.signedIn('ana');
    await remembered(there, token);
    await remembered(here, token);
    await here.rest('/session', token, { method: 'DELETE' });
    expect(await status(here, token)).toBe(401);
    await expect.poll(() => status(there, token), { interval: 2, timeout: 20_000 }).toBe(401);
  }
}, 60_000);

it('a write of the first connection is noticed, as of any other', async () => {
  if (!onServer) return;
  const { here } = both();
  const { pool } = here.services.db;
  const wrote = vi.fn();
  here.services.db.notifications.onWrite(wrote);
  const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
  try {
    for (const [index, client] of clients.entries()) {
      await client.query('UPDATE session SET last_seen_at = last_seen_at WHERE false');
      expect(wrote.mock.calls.length).toBeGreaterThan(index);
    }
  } finally {
    for (const client of clients) client.release();
  }
});

it('a mark, a change of status and a new task leave every session remembered', async () => {
  if (!onServer) return;
  const { here } = both();
  const token = await here.signedIn('ana');
  await here.services.db.pool.query(
    `INSERT INTO permission_grant (subject_type, subject_id, permission) SELECT 'USER', id, 'SUPERVISOR' FROM "user" WHERE login = 'ana'`,
  );
  await remembered(here, token);
  const wrote = vi.fn();
  here.services.db.notifications.onWrite(wrote);
  const id = Buffer.from('Feed:1').toString('base64');
  for (const call of [
    `setFeedState(input: { feedIds: ["${id}"], pinned: true }) { ... on SetFeedStatePayload { results { feed { pin } } } }`,
    `changeFeedStatus(input: { feedId: "${id}", status: REVIEWED }) { ... on ChangeFeedStatusPayload { feed { status } } }`,
    `createExternalTask(input: { name: "Restock" }) { ... on CreateExternalTaskPayload { task { name } } }`,
  ])
    expect(JSON.stringify(await here.gql(`mutation { ${call} }`, {}, token))).not.toMatch(
      /errors|"\w+":\{\}/,
    );
  expect(wrote).not.toHaveBeenCalled();
});

it('the use of many sessions takes one connection, and leaves every session remembered', async () => {
  if (!onServer) return;
  const { here } = both();
  const tokens = await Promise.all(Array.from({ length: 20 }, () => here.signedIn('ana')));
  for (const token of tokens) await remembered(here, token);
  const { rows } = here.services.db;
  let [running, mostRunning] = [0, 0];
  vi.spyOn(here.services.db, 'rows').mockImplementation(async (sql, ...rest) => {
    const isUse = sql.startsWith('UPDATE session');
    if (isUse) mostRunning = Math.max(mostRunning, ++running);
    try {
      return await rows(sql, ...rest);
    } finally {
      if (isUse) running--;
    }
  });
  const wrote = vi.fn();
  here.services.db.notifications.onWrite(wrote);
  const soon = NOON + 2 * 60_000;
  here.setTime(soon);
  try {
    const all = [tokens, tokens, tokens].flat();
    const answers = await Promise.all(all.map((token) => status(here, token)));
    expect(new Set(answers)).toEqual(new Set([200]));
    const used = async (): Promise<unknown> =>
      (
        await here.services.db.pool.query(
          'SELECT count(*)::int AS n FROM session WHERE last_seen_at = $1 AND expires_at = $2',
          [new Date(soon), new Date(soon + 12 * 3_600_000)],
        )
      ).rows[0]?.n;
    await expect.poll(used, { interval: 5, timeout: 20_000 }).toBe(tokens.length);
    for (const token of tokens) await remembered(here, token);
    await here.services.usage.flush();
    expect(mostRunning).toBe(1);
    expect(wrote).not.toHaveBeenCalled();
  } finally {
    here.setTime(NOON);
  }
});

it('a write that hides in a statement that reads is noticed', async () => {
  if (!onServer) return;
  const { here } = both();
  const wrote = vi.fn();
  here.services.db.notifications.onWrite(wrote);
  await here.services.db.pool.query(
    'WITH ended AS (UPDATE session SET revoked_at = now() WHERE false RETURNING id) SELECT id FROM ended',
  );
  expect(wrote).toHaveBeenCalledOnce();
});

const changes: [string, string, object][] = [
  [
    'a name',
    `UPDATE "user" SET display_name = 'Anna' WHERE login = 'ana'`,
    { displayName: 'Anna' },
  ],
  [
    'a zone',
    `UPDATE "user" SET time_zone_long = 'Asia/Tokyo' WHERE login = 'ana'`,
    { timeZone: 'Asia/Tokyo' },
  ],
  ['no zone', `UPDATE "user" SET time_zone_long = NULL WHERE login = 'ana'`, {}],
  [
    'the zone of the unit',
    `UPDATE unit SET time_zone = 'Asia/Seoul' WHERE id = (SELECT unit_id FROM "user" WHERE login = 'ana')`,
    { timeZone: 'Asia/Seoul' },
  ],
];

it('what a viewer is made of is told with each change', async () => {
  if (!onServer) return;
  const { here, there } = both();
  const token = await here.signedIn('ana');
  const viewer = async (): Promise<object> => (await there.gql(VIEWER, {}, token)).data?.viewer;
  for (const [, sql, expected] of changes) {
    await remembered(there, token);
    await here.services.db.pool.query(sql);
    await expect.poll(viewer, { interval: 2, timeout: 20_000 }).toMatchObject(expected);
  }
  await remembered(there, token);
  await here.services.db.pool.query(`UPDATE "user" SET disabled_at = now() WHERE login = 'ana'`);
  await expect.poll(() => status(there, token), { interval: 2, timeout: 20_000 }).toBe(401);
}, 60_000);

it('a gateway that can hear nothing asks the database, and listens again by itself', async () => {
  if (!onServer) return;
  const { here, there } = both();
  const token = await here.signedIn('bob');
  await remembered(there, token);
  const reads = countReads(there);
  const before = reads();
  const { rowCount } = await here.services.db.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trivium listen' AND datname = current_database()`,
  );
  expect(rowCount).toBeGreaterThan(0);
  await expect
    .poll(async () => [await status(there, token), reads() > before], {
      interval: 2,
      timeout: 20_000,
    })
    .toEqual([200, true]);
  await remembered(there, token);
  await here.rest('/session', token, { method: 'DELETE' });
  await expect.poll(() => status(there, token), { interval: 2, timeout: 20_000 }).toBe(401);
}, 60_000);

it('a session runs out at its time though it is remembered', async () => {
  if (!onServer) return;
  const { here } = both();
  const token = await here.signedIn('bob');
  await remembered(here, token);
  await here.services.db.pool.query(
    `UPDATE session SET expires_at = to_timestamp($1) WHERE revoked_at IS NULL`,
    [Date.UTC(2026, 10, 20, 12, 0, 30) / 1000],
  );
  await remembered(here, token);
  here.setTime(Date.UTC(2026, 10, 20, 12, 0, 30));
  expect(await status(here, token)).toBe(401);
}, 60_000);
