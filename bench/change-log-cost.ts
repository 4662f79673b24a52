/** What the log costs its writers: an import of 20,000 feeds and a set of a user's state, with and without its triggers. Milliseconds, three rounds each. */
import { createServices } from '../src/server/services.ts';
import { readConfig } from '../src/core/context/config.ts';
import { importRecords } from '../src/import/import-records.ts';
import { startPostgres } from './support/own-postgres.ts';

const postgres = await startPostgres();
try {
  const services = await createServices(
    readConfig({ DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' }),
  );
  const { pool } = services.db;
  const load = (records: object[]): Promise<unknown> =>
    importRecords(
      services,
      (async function* () {
        for (const [i, record] of records.entries())
          yield { line: i + 1, text: JSON.stringify(record) };
      })(),
      { name: 'cost' },
    );
  await load([
    { record: 'domain', name: 'd' },
    { record: 'dept', domain: 'd', name: 'F' },
    { record: 'user', domain: 'd', login: 'u', display_name: 'U', depts: [{ name: 'F' }] },
  ]);
  const { rows: triggers } = await pool.query(
    `SELECT tgrelid::regclass::text AS t, tgname AS n FROM pg_trigger WHERE NOT tgisinternal AND tgname LIKE '%\\_change\\_%'`,
  );
  const result = {
    importWithout: [] as number[],
    importWith: [] as number[],
    stateWithout: [] as number[],
    stateWith: [] as number[],
  };
  let key = 1;
  for (let round = 0; round < 3; round++) {
    for (const on of [false, true]) {
      for (const { t, n } of triggers)
        await pool.query(`ALTER TABLE ${t} ${on ? 'ENABLE' : 'DISABLE'} TRIGGER ${n}`);
      let started = performance.now();
      await load(
        Array.from({ length: 20_000 }, () => ({
          feed_key: key++,
          domain: 'd',
          kind: 'MESSAGE',
          feed_title: 'Feed',
          priority: 1,
          owner: 'u',
          dept: 'F',
          assignments: [{ dept: 'F' }],
        })),
      );
      (on ? result.importWith : result.importWithout).push(Math.round(performance.now() - started));
      started = performance.now();
      for (let i = 0; i < 1_000; i++) {
        await pool.query(
          `INSERT INTO feed_user_state AS x (user_id, feed_key, pinned, updated_at) SELECT id, $1, true, now() FROM "user" ON CONFLICT (user_id, feed_key) DO UPDATE SET pinned = NOT x.pinned`,
          [1 + (i % 500)],
        );
      }
      (on ? result.stateWith : result.stateWithout).push(
        Math.round(performance.now() - started) / 1_000,
      );
    }
  }
  console.log(JSON.stringify(result));
  await services.db.close();
} finally {
  postgres.stop();
}
process.exit(0);
