import type { QueryResultRow } from 'pg';
import { packageVersion } from '../package-version.ts';
import type { Statements } from '../wire/wire.ts';
import type { Migration, Step } from './read-migrations.ts';

/** Prisma's own table of migrations, and that of their steps. */
export const TABLES = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS _migration_steps (
  migration_name VARCHAR(255) NOT NULL, step VARCHAR(255) NOT NULL, checksum VARCHAR(64) NOT NULL,
  reached TEXT, batches BIGINT NOT NULL DEFAULT 0, started_at TIMESTAMPTZ NOT NULL DEFAULT now(), finished_at TIMESTAMPTZ,
  PRIMARY KEY (migration_name, step))`;

/** Runs a statement without parameters: a connection or a pool. */
export interface Queries {
  query<R extends QueryResultRow>(text: string): Promise<{ rows: R[] }>;
}

/** What migrations still want of a database. */
export interface Pending {
  /** Whether the database has any migration at all: an empty one is nobody's. */
  empty: boolean;
  migrations: Migration[];
  /** Of migrations that were applied. */
  steps: Step[];
}

/**
 * Compares the database with the migrations that this version has. Those that only a newer version has are let be, as
 * they add; throws where one of them took away what this version needs, and where one was edited.
 */
export async function readPending(
  client: Queries,
  migrations: readonly Migration[],
): Promise<Pending> {
  const { rows: tables } = await client.query<{ applied: string | null; steps: string | null }>(
    `SELECT to_regclass('_prisma_migrations') AS applied, to_regclass('_migration_steps') AS steps`,
  );
  if (tables[0]?.applied == null) return { empty: true, migrations: [...migrations], steps: [] };
  const { rows } = await client.query<Applied>(
    'SELECT migration_name AS name, checksum, finished_at AS finished, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const applied = new Map(rows.map((row) => [row.name, row]));
  refuseUnfit(migrations, applied);
  const done = new Map<string, string>();
  if (tables[0].steps != null) {
    const { rows: steps } = await client.query<{ id: string; checksum: string }>(
      `SELECT migration_name || '/' || step AS id, checksum FROM _migration_steps WHERE finished_at IS NOT NULL`,
    );
    for (const { id, checksum } of steps) done.set(id, checksum);
  }
  const pending: Step[] = [];
  for (const step of migrations.flatMap(({ steps }) => steps)) {
    const checksum = done.get(idOf(step));
    if (checksum !== undefined && checksum !== step.checksum)
      throw new Error(`step ${idOf(step)} was edited after it had been done`);
    if (checksum === undefined && applied.has(step.migration)) pending.push(step);
  }
  return {
    empty: rows.length === 0,
    migrations: migrations.filter(({ name }) => !applied.has(name)),
    steps: pending,
  };
}

/** How a step is called. */
export const idOf = ({ migration, name }: Step): string => `${migration}/${name}`;

/** What a contract leaves with its record, for gateways that do not know it. */
export const needOf = ({ needs }: Migration): string | null =>
  needs ? `needs ${needs.migration} (${needs.version})` : null;

interface Applied {
  name: string;
  checksum: string;
  finished: Date | null;
  logs: string | null;
}

function refuseUnfit(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, Applied>,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum, finished, logs } of applied.values()) {
    const migration = known.get(name);
    if (migration && !finished)
      throw new Error(`migration ${name} failed earlier: resolve it with "prisma migrate resolve"`);
    if (migration && migration.checksum !== checksum)
      throw new Error(`migration ${name} was edited after it had been applied`);
    const [, needed = '', version = ''] = /^needs (\S+) \((\S+)\)$/.exec(logs ?? '') ?? [];
    if (needed !== '' && !migration && !known.has(needed))
      throw new TooOldError(
        `this is Trivium ${packageVersion()}, but the database needs ${version} or later: migration ${name} removed what older versions use. Install that version, or restore a backup from before (docs/operations.md, "Upgrade").`,
      );
  }
}

/** Thrown when a migration of a newer version removed what this version needs. */
class TooOldError extends Error {
  override name = 'TooOldError';
  readonly code = 'TOO_OLD';
}

/** The last migration that was applied, and the number of them all. */
export async function appliedMigrations(
  db: Pick<Statements, 'rows'>,
): Promise<{ last: string | undefined; applied: number }> {
  const rows = await db.rows(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY migration_name',
    [],
  );
  return { last: rows.at(-1)?.[0] ?? undefined, applied: rows.length };
}
