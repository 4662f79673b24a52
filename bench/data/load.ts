import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createServices } from '../../src/server/services.ts';
import { importRecords } from '../../src/import/import-records.ts';
import { asLines } from '../../src/import/read-lines.ts';
import { readConfig } from '../../src/core/context/config.ts';
import type { Services } from '../../src/core/context/context.ts';
import { feedsOfUnit, organisation, UNITS } from './records.ts';

/** Why the benchmark does not run; shown without a stack. */
export class Refusal extends Error {}

/** Milliseconds. */
const POLL_REACHES_BACK = 6_000;

/** Where the benchmark notes what it loaded, and by which it knows a database of its own again. */
const MARKER = 'trivium_bench';

/** Opens a database of the benchmark, migrated, and loads `rows` feeds with two user states each unless they are there. Throws Refusal when it holds other data. */
export async function openLoaded(
  url: string,
  rows: number,
  say: (text: string) => void,
): Promise<Services> {
  const before = await inspect(url);
  if (before.kind === 'other')
    throw new Refusal(
      `The database holds other data (${before.found}). The benchmark wants a database of its own: create an empty one and name it in DATABASE_URL.`,
    );
  if (before.kind === 'ours' && before.rows !== rows) {
    throw new Refusal(
      `The database holds the benchmark's data of ${before.rows} rows, and ${rows} are asked for: use one database for each size.`,
    );
  }
  const done = before.kind === 'ours' ? before.units : 0;
  if (done < UNITS)
    say(
      `Creates Trivium's tables and loads ${rows} feeds in ${UNITS} units with ${2 * rows} user states into this database.`,
    );
  const services = await createServices(
    readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent', REQUEST_TIMEOUT_MS: '600000' }),
  );
  try {
    if (done < UNITS) await load(services, rows, done, say);
    return services;
  } catch (error) {
    await services.db.close();
    throw error;
  }
}

type Found =
  | { kind: 'empty' }
  | { kind: 'ours'; rows: number; units: number }
  | { kind: 'other'; found: string };

async function inspect(url: string): Promise<Found> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    if (rows.length === 0) return { kind: 'empty' };
    if (!rows.some((row) => row.name === `${MARKER}.load`))
      return {
        kind: 'other',
        found: rows
          .slice(0, 3)
          .map((row) => row.name)
          .join(', '),
      };
    // A contender's schema that an interrupted run left would stand in the way of a migration.
    await client.query(`DROP SCHEMA IF EXISTS ${PEER_SCHEMA} CASCADE`);
    const marker = await client.query<{ rows: number; units: number }>(
      `SELECT rows, units FROM ${MARKER}.load`,
    );
    const [load] = marker.rows;
    return load ? { kind: 'ours', ...load } : { kind: 'empty' };
  } finally {
    await client.end();
  }
}

/** Schema of the views that a contender wants; made at the start of a run and dropped at its end. */
export const PEER_SCHEMA = 'bench_postgraphile';

async function load(
  services: Services,
  rows: number,
  done: number,
  say: (text: string) => void,
): Promise<void> {
  const { db } = services;
  const started = performance.now();
  await db.pool.query(`CREATE SCHEMA IF NOT EXISTS ${MARKER}`);
  await db.pool.query(
    `CREATE TABLE IF NOT EXISTS ${MARKER}.load (rows int NOT NULL, units int NOT NULL, loaded_at timestamptz NOT NULL DEFAULT now())`,
  );
  if (done === 0) {
    await db.pool.query(`TRUNCATE ${MARKER}.load`);
    await db.pool.query(`INSERT INTO ${MARKER}.load (rows, units) VALUES ($1, 0)`, [rows]);
    await importRecords(services, asLines(organisation()), { name: 'organisation' });
  }
  const now = services.clock();
  for (let unit = done; unit < UNITS; unit++) {
    await importRecords(services, asLines(feedsOfUnit(unit, rows / UNITS, now)), {
      name: `unit ${unit}`,
    });
    await db.pool.query(`UPDATE ${MARKER}.load SET units = $1, loaded_at = now()`, [unit + 1]);
    if ((unit + 1) % 5 === 0)
      say(`  ${unit + 1} of ${UNITS} units, ${Math.round((performance.now() - started) / 1000)} s`);
  }
  const client = await db.pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT').catch(() => undefined);
    await client.query('SELECT change_log_mark()');
  } finally {
    client.release(true);
  }
  say(`Loaded in ${Math.round((performance.now() - started) / 1000)} s.`);
  // So far polls reach back behind the instant that they name (D-41): sooner they would read the load again.
  await pause(POLL_REACHES_BACK);
}
