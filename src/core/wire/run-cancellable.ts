import type pg from 'pg';
import { cancelStatement } from './cancel-statement.ts';
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
  const stop = (): void => void (cancelled = cancelStatement(client));
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
