import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Apart } from './connect-apart.ts';
import { needOf, readPending, TABLES, type Pending, type Queries } from './migration-state.ts';
import { lastReleased, readMigrations, type Migration } from './read-migrations.ts';
import { runStep, runStepAlone, type OnStep } from './run-step.ts';
import { takeTurn } from './take-turn.ts';
import { codeOf } from '../errors.ts';

/** The lock that Prisma's own `migrate deploy` takes, so that the two never run at once. */
const MIGRATION_LOCK = 72707369;

/**
 * Longest wait for a table, in milliseconds: whoever comes after waits, too. Less than the second after which PostgreSQL looks
 * for deadlocks: it would end the transaction of a gateway, and this one can begin again.
 */
const LOCK_TIMEOUT = 400;
/** Pause before the next try, in which those who waited are served. */
const PAUSE = 1_000;
/** How long it is tried, in milliseconds: statements of gateways end after 15 s, those of others may take longer. */
const PATIENCE = 600_000;

const [LOCK_NOT_AVAILABLE, DEADLOCK] = ['55P03', '40P01'];

/** Told what a migration of a database in use does. */
export interface MigrationEvents {
  onApplied(names: string[]): void;
  onWaiting(names: string[]): void;
  onStep: OnStep;
}

export interface MigrateOptions {
  /** Nobody else uses the database: an embedded one. */
  alone: boolean;
  apart: Apart;
  events?: MigrationEvents | undefined;
  /** Only tests set it. */
  folder?: string;
}

/**
 * Applies what is pending and has to be there before a gateway serves; the steps that may be done while it serves are
 * left (follow-steps.ts). Each migration is a transaction, behind which nobody waits long; those up to the last release
 * are one, as are all of an empty or an embedded database. Gateways that start together wait for each other.
 */
export async function migrate(db: Queries, options: MigrateOptions): Promise<void> {
  const migrations = await readMigrations(options.folder);
  if (isDone(await readPending(db, migrations))) return;
  await options.apart(async (own) => {
    const leave = await takeTurn(own);
    try {
      const pending = await readPending(own, migrations);
      if (!isDone(pending)) await bringUp(own, pending, options);
    } finally {
      await leave();
    }
  });
}

const SILENT: MigrationEvents = {
  onApplied: () => undefined,
  onWaiting: () => undefined,
  onStep: () => undefined,
};

const isDone = ({ migrations, steps }: Pending): boolean =>
  migrations.length === 0 && !steps.some(({ waits }) => waits);

async function bringUp(
  client: ClientBase,
  { empty, migrations, steps }: Pending,
  { alone, folder, events = SILENT }: MigrateOptions,
): Promise<void> {
  if (empty && !alone) await requireEncoding(client);
  if (empty || alone) {
    await inTransaction(client, async () => {
      for (const step of steps) await runStepAlone(client, step);
      for (const migration of migrations) {
        await apply(client, migration);
        for (const step of migration.steps) await runStepAlone(client, step);
      }
    });
    return;
  }
  // A migration may rely on all steps of those before it, unless they come with the same release.
  const due = migrations.length > 0 ? steps : steps.filter(({ waits }) => waits);
  for (const step of due) await runStep(client, step, events);
  const released = await lastReleased(folder);
  for (const group of groupsOf(migrations, released)) {
    const names = group.map(({ name }) => name);
    await patiently(
      () =>
        inTransaction(client, async () => {
          await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
          for (const migration of group) await apply(client, migration);
        }),
      names,
      () => events.onWaiting(names),
    );
    events.onApplied(names);
    for (const { name, steps } of group)
      for (const step of steps)
        if (step.waits || name <= released) await runStep(client, step, events);
  }
}

/** Thrown for an empty database that can't store every text. */
class EncodingError extends Error {
  override name = 'EncodingError';
  readonly code = 'ENCODING';
}

/** PostgreSQL's own words for it come from the first letter that has no place there. */
async function requireEncoding(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const found = rows[0]?.server_encoding;
  if (found !== 'UTF8')
    throw new EncodingError(
      `the database has the encoding ${found}, and Trivium needs UTF8: make another one, with createdb --encoding=UTF8 --template=template0`,
    );
}

/** What runs in one transaction each. */
function groupsOf(migrations: readonly Migration[], released: string): Migration[][] {
  const groups: Migration[][] = [];
  let open: Migration[] | undefined;
  for (const migration of migrations) {
    if (open && migration.name <= released) open.push(migration);
    else groups.push((open = [migration]));
    if (migration.name > released || migration.steps.length > 0) open = undefined;
  }
  return groups;
}

async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(TABLES);
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function apply(client: ClientBase, migration: Migration): Promise<void> {
  // Prisma's own command, or a gateway that knows nothing of turns, may have been faster.
  const { rows } = await client.query(
    'SELECT FROM _prisma_migrations WHERE migration_name = $1 AND rolled_back_at IS NULL',
    [migration.name],
  );
  if (rows.length > 0) return;
  await client.query(migration.sql);
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count, logs) VALUES ($1, $2, $3, now(), 1, $4)',
    [randomUUID(), migration.checksum, migration.name, needOf(migration)],
  );
}

/** Tries again when a table was not free in time, or in a deadlock with those who read. */
async function patiently(
  work: () => Promise<void>,
  names: string[],
  onWaiting: () => void,
): Promise<void> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) throw error;
      if (performance.now() > end)
        throw new Error(
          `${names.join(', ')}: a table was never free for ${PATIENCE / 60_000} minutes. Look in pg_stat_activity for the transaction that is open for long, end it, and start again.`,
          { cause: error },
        );
      onWaiting();
      await pause(PAUSE);
    }
  }
}
