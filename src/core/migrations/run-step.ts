import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { idOf } from './migration-state.ts';
import type { Step } from './read-migrations.ts';
import { codeOf } from '../errors.ts';

/** Told how far a step is. */
export type OnStep = (step: Step, state: { batches: number; ended?: boolean }) => void;

/** Errors after which a statement of a step may be tried again: a deadlock, a serialization failure, a lock not got in time. */
const AGAIN = new Set<unknown>(['40P01', '40001', '55P03']);
const CANCELLED = '57014';
const TRIES = 20;
/** Longest rest between two batches, in milliseconds. A batch rests as long as it took: gateways need the server, too. */
const REST = 1_000;

/**
 * Does a step on a connection of its own, outside a transaction, and goes on where it was interrupted. The caller holds
 * the lock of migrations, so that nobody else does the same.
 */
export async function runStep(
  client: ClientBase,
  step: Step,
  { onStep, signal }: { onStep: OnStep; signal?: AbortSignal },
): Promise<void> {
  let { reached, batches } = await begin(client, step);
  onStep(step, { batches });
  if (fillsRows(step)) {
    let more = true;
    while (more) {
      signal?.throwIfAborted();
      const began = performance.now();
      const next = await again(() => runBatch(client, step, reached), signal);
      more = next !== null;
      if (more) onStep(step, { batches: ++batches });
      reached = next;
      if (more) await pause(Math.min(REST, performance.now() - began));
    }
  } else if (indexOf(step) !== undefined) await again(() => makeIndex(client, step), signal);
  else await again(() => client.query(step.sql), signal);
  await client.query(
    'UPDATE _migration_steps SET finished_at = now() WHERE migration_name = $1 AND step = $2',
    [step.migration, step.name],
  );
  onStep(step, { batches, ended: true });
}

/**
 * Does a step within a transaction, where nobody else uses the database: an embedded one has a single connection, on
 * which nothing can be done beside others, and an empty one has no rows.
 */
export async function runStepAlone(client: ClientBase, step: Step): Promise<void> {
  if (fillsRows(step)) {
    let reached: string | null = null;
    do reached = await readKey(client, step, reached);
    while (reached !== null);
  } else await client.query(withoutConcurrency(step.sql));
  await client.query(
    `INSERT INTO _migration_steps (migration_name, step, checksum, finished_at) VALUES ($1, $2, $3, now())
     ON CONFLICT (migration_name, step) DO UPDATE SET checksum = excluded.checksum, finished_at = now()`,
    [step.migration, step.name, step.checksum],
  );
}

/** The statement as it may stand in a transaction. */
export const withoutConcurrency = (sql: string): string => sql.replace(/\bCONCURRENTLY\s+/gi, '');

const fillsRows = ({ sql }: Step): boolean => sql.includes('$1');
const indexOf = ({ sql }: Step): string | undefined =>
  /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+("[^"]+"|\w+)\s+ON\b/i.exec(sql)?.[1];

/** Notes that the step has begun. One that was edited because it failed begins again. */
async function begin(
  client: ClientBase,
  { migration, name, checksum }: Step,
): Promise<{ reached: string | null; batches: number }> {
  const { rows } = await client.query<{ reached: string | null; batches: string }>(
    `INSERT INTO _migration_steps AS s (migration_name, step, checksum) VALUES ($1, $2, $3)
     ON CONFLICT (migration_name, step) DO UPDATE SET checksum = excluded.checksum,
       reached = CASE WHEN s.checksum = excluded.checksum THEN s.reached END,
       batches = CASE WHEN s.checksum = excluded.checksum THEN s.batches ELSE 0 END
     RETURNING reached, batches`,
    [migration, name, checksum],
  );
  return { reached: rows[0]?.reached ?? null, batches: Number(rows[0]?.batches ?? 0) };
}

/** Fills one batch and notes in the same transaction how far it came: null after the last. */
async function runBatch(
  client: ClientBase,
  step: Step,
  reached: string | null,
): Promise<string | null> {
  await client.query('BEGIN');
  try {
    // A request may hold a row, but must not wait long for the others of the batch.
    await client.query(`SET LOCAL lock_timeout = '1s'`);
    const next = await readKey(client, step, reached);
    if (next !== null)
      await client.query(
        'UPDATE _migration_steps SET reached = $3, batches = batches + 1 WHERE migration_name = $1 AND step = $2',
        [step.migration, step.name, next],
      );
    await client.query('COMMIT');
    return next;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** The key of the last row of the batch, which begins behind the one of the batch before. */
async function readKey(
  client: ClientBase,
  step: Step,
  reached: string | null,
): Promise<string | null> {
  const { rows } = await client.query<unknown[]>({
    text: step.sql,
    values: [reached],
    rowMode: 'array',
  });
  const key = rows[0]?.[0];
  if (key === undefined || key === null) return null;
  if (typeof key !== 'string' || key === reached)
    throw new Error(`step ${idOf(step)} does not go on: its key must be text, and grow`);
  return key;
}

/** Makes an index while others read and write. What an interrupted attempt left is of no use, and is removed first. */
async function makeIndex(client: ClientBase, step: Step): Promise<void> {
  const index = indexOf(step) ?? '';
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.valid === true) return;
  const remove = `DROP INDEX CONCURRENTLY IF EXISTS ${index}`;
  await client.query(remove);
  try {
    await client.query(step.sql);
  } catch (error) {
    // An invalid unique index still refuses rows. Whoever cancels does not wait for those who use the table.
    if (codeOf(error) !== CANCELLED) await client.query(remove).catch(() => undefined);
    throw error;
  }
}

async function again<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (left === 0 || !AGAIN.has(codeOf(error))) throw error;
      await pause(REST / 2);
    }
  }
}
