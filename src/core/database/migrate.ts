import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { packageRoot } from '../package-root.ts';
import type { Statements } from '../wire/wire.ts';

const folder = join(packageRoot, 'prisma/migrations');

/** The lock that Prisma's own `migrate deploy` takes, so that the two never run at once. */
const MIGRATION_LOCK = 72707369;

const TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`;

const DEADLOCK = '40P01';

/**
 * Applies the pending migrations and returns their names. All run in one transaction: an interrupted or failed run
 * leaves the database as it was. Gateways that start together wait for each other; it retries when it conflicts with
 * gateways that are reading.
 */
export async function migrate(client: ClientBase): Promise<string[]> {
  for (let left = 4; ; left--) {
    try {
      return await migrateOnce(client);
    } catch (error) {
      if (left === 0 || !(error instanceof Error) || !('code' in error) || error.code !== DEADLOCK)
        throw error;
    }
  }
}

/** All migrations, in their order. */
export async function readMigrations(): Promise<{ name: string; sql: string; checksum: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function migrateOnce(client: ClientBase): Promise<string[]> {
  const migrations = await readMigrations();
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(TABLE);
    const { rows } = await client.query<{
      migration_name: string;
      checksum: string;
      finished_at: Date | null;
    }>(
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    );
    const known = new Map(rows.map((row) => [row.migration_name, row]));
    const applied: string[] = [];
    for (const { name, sql, checksum } of migrations) {
      const row = known.get(name);
      if (row && !row.finished_at)
        throw new Error(
          `migration ${name} failed earlier: resolve it with "prisma migrate resolve"`,
        );
      if (row && row.checksum !== checksum)
        throw new Error(`migration ${name} was edited after it had been applied`);
      if (row) continue;
      await client.query(sql);
      await client.query(
        'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)',
        [randomUUID(), checksum, name],
      );
      applied.push(name);
    }
    await client.query('COMMIT');
    return applied;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
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
