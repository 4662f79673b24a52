import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { feed, organisation } from '../support/records.ts';

// As `npm start` opens it: a folder, not the PGlite in the tests' own thread.
let dataDir: string;
let app: TestApp;
let ana: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'trivium-thread-'));
  app = await startApp({
    database: { kind: 'embedded', dataDir },
    env: { REQUEST_TIMEOUT_MS: '240000' },
  });
  await app.load([...organisation, feed(1)]);
  ana = await app.signedIn('ana');
}, 240_000);
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Holds the database until it is let go: with a statement that looks for a file. */
function holdDatabase(): { held: Promise<unknown>; letGo: () => void } {
  const held = app.services.db.rows(
    `DO $$ BEGIN WHILE (pg_stat_file('let-go', true)).size IS NULL LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`,
    [],
  );
  return { held, letGo: () => writeFileSync(join(dataDir, 'pg', 'let-go'), '') };
}

const document = { query: '{ viewer { feeds { totalCount } } }' };
const list = (): ReturnType<TestApp['rest']> => app.rest('/task/v1/feeds/list', ana);
const graphql = (): ReturnType<TestApp['rest']> =>
  app.rest('/graphql', ana, {
    method: 'POST',
    body: JSON.stringify(document),
    headers: { 'content-type': 'application/json' },
  });

it('a statement that takes long keeps waiting who needs the database, until their time is over, and nobody else', async () => {
  expect((await list()).status).toBe(200);
  expect((await graphql()).status).toBe(200);
  const { config } = app.services;
  const generous = config.requestTimeoutMs;
  let isHeld = true;
  const { held, letGo } = holdDatabase();
  void held.finally(() => (isHeld = false));
  try {
    expect(await app.rest('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    // However short: the database does not answer before it is let go.
    config.requestTimeoutMs = 100;
    const [overRest, overGraphQL] = await Promise.all([list(), graphql()]);
    expect(overRest).toMatchObject({
      status: 503,
      json: { status: 'ER', errorCode: 'E302', response: 'The request took too long' },
    });
    expect(overGraphQL).toMatchObject({
      status: 503,
      json: {
        errors: [{ message: 'The request took too long', extensions: { code: 'TIMEOUT' } }],
      },
    });
    expect(overRest.headers.get('retry-after')).toBe('2');
    expect(isHeld).toBe(true);
  } finally {
    config.requestTimeoutMs = generous;
    letGo();
    await held;
  }
  // What nobody waits for any more is not read first.
  expect((await list()).status).toBe(200);
  expect((await graphql()).status).toBe(200);
});

it('a statement that fails, and one with a large answer, come through whole', async () => {
  const { db } = app.services;
  await expect(db.rows('SELECT 1 / 0', [])).rejects.toMatchObject({ code: '22012' });
  const rows = await db.rows(`SELECT n, repeat('ä', 1000) FROM generate_series(1, 2000) n`, []);
  expect(rows).toHaveLength(2000);
  expect(rows[1999]).toEqual(['2000', 'ä'.repeat(1000)]);
});
