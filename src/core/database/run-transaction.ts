import type pg from 'pg';
import {
  statementsWithin,
  type StatementOptions,
  type TransactionStatements,
} from '../wire/wire.ts';
import { explainFailure } from './explain-failure.ts';

/**
 * The connection was lost during the commit of a transaction: it may have committed, may not have, or may still commit
 * a little later.
 */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError';
}

interface Work<Tx, T> {
  /** The database that the work is given. */
  open: (client: pg.PoolClient, statements: TransactionStatements) => Tx;
  work: (client: pg.PoolClient, tx: Tx) => Promise<T>;
  last: ((tx: Tx) => Promise<void>) | undefined;
}

/** See Database.transaction. */
export async function runTransaction<Tx, T>(
  pool: pg.Pool,
  options: Omit<StatementOptions, 'cancels'>,
  { open, work, last }: Work<Tx, T>,
): Promise<T> {
  const client = await pool.connect();
  let [committing, broken, spoilt] = [false, false, false];
  const statements = statementsWithin(client, options, () => (spoilt = true));
  const tx = open(client, statements);
  try {
    if (!last) await statements.begin();
    const result = await work(client, tx);
    committing = true;
    await statements.commit(async () => last?.(tx));
    return result;
  } catch (error) {
    if (statements.hasBegun()) await client.query('ROLLBACK').catch(() => (broken = true));
    throw committing && broken
      ? new UnknownOutcomeError('the connection was lost during a commit', { cause: error })
      : explainFailure(error);
  } finally {
    statements.end();
    client.release(broken || spoilt);
  }
}
