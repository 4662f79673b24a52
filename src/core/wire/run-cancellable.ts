import pg from 'pg';
import type { Signal } from '../signal.ts';

/**
 * Runs a statement on a connection of the pool until the signal is aborted: then PostgreSQL cancels the statement, and
 * the connection is not used again. Where statements can't be cancelled, it runs to its end unless it has not begun.
 * Throws the signal's reason.
 */
export async function runCancellable<Result>(
  pool: pg.Pool,
  { signal, cancels }: { signal: Signal; cancels: boolean },
  run: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  if (signal.aborted) client.release();
  signal.throwIfAborted();
  let cancelled: Promise<void> | undefined;
  let failed = false;
  const stop = (): void => void (cancelled = cancel(pool, client));
  if (cancels) signal.addEventListener('abort', stop);
  try {
    return await run(client);
  } catch (error) {
    failed = true;
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await cancelled;
    client.release(failed || cancelled !== undefined);
  }
}

/**
 * Cancels the statement of a pool's connection over a connection outside the pool: those of the pool may all be busy.
 */
export async function cancel({ options }: pg.Pool, client: pg.ClientBase): Promise<void> {
  const other = new pg.Client({ ...options, connectionTimeoutMillis: 2_000 });
  other.on('error', () => undefined);
  try {
    await other.connect();
    await other.query('SELECT pg_cancel_backend($1)', [backendOf(client)]);
  } catch {
    // The statement is then ended by its own time limit.
  } finally {
    await other.end().catch(() => {});
  }
}

/** The types of pg leave it out. */
function backendOf(client: object): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null;
}
