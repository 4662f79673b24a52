// The wire between this process and PostgreSQL: rows are kept as the bytes that the database sends, and reads of one
// turn of the event loop share a round trip. This file is the entry of the room: no other file of it is imported from
// outside. See docs/fast-lane.md.

import pg from 'pg';
import { RowClient } from './row-client.ts';
import { plainStatements, plainTransaction } from './plain-statements.ts';
import { MOST_OF_READ } from './result-too-large-error.ts';
import { runCancellable } from './run-cancellable.ts';
import { shareReads } from './share-reads.ts';
import { TextQuery } from './text-query.ts';
import { transactionStatements } from './transaction-statements.ts';
import type { Signal } from '../signal.ts';
import type { OnStatement, Param, Statements, TransactionStatements } from './types.ts';
import type { WireRow } from './wire-row.ts';

export type {
  Cell,
  OnStatement,
  Param,
  Row,
  Run,
  Statements,
  TransactionStatements,
} from './types.ts';
export { ResultTooLargeError } from './result-too-large-error.ts';
export { runCancellable } from './run-cancellable.ts';
export { lastingName } from './statement-names.ts';
export { watchStatements } from './watch-statements.ts';
export { CELL_HEAD, cellLength, ROW_HEAD, WireRow } from './wire-row.ts';

/** How statements are run on a pool. */
export interface StatementOptions {
  /** Use prepared statements: not possible behind a pooler that knows nothing of them (see followsClients). */
  prepares: boolean;
  /** Cancel statements with their signal: not possible behind such a pooler, nor in the embedded database. */
  cancels: boolean;
  onStatement: OnStatement | undefined;
  /** Without it, rows are those of `pg`, and each statement is sent alone. */
  fastLane: boolean;
}

/** The client class of a pool. */
export function clientClass(fastLane: boolean): typeof pg.Client {
  return fastLane ? RowClient : pg.Client;
}

/** Runs statements on a pool whose clients are of `clientClass`. */
export function statementsOn(
  pool: pg.Pool,
  { prepares, cancels, onStatement, fastLane }: StatementOptions,
): Statements {
  if (!fastLane) return plainStatements(pool, { cancels });
  // The pool's promise resolves to what the query calls back with; its types only know the queries of `pg`.
  const run = (query: TextQuery, signal?: Signal): Promise<WireRow[]> =>
    signal
      ? runCancellable(pool, { signal, cancels }, (client) => query.runOn(client))
      : (pool.query(query) as unknown as Promise<WireRow[]>);
  const make = (
    text: string,
    values: readonly Param[],
    signal: Signal | undefined,
    most = Infinity,
  ): TextQuery => new TextQuery({ text, values, prepares, onStatement, most, signal });
  return {
    rows: async (sql, params, signal) => {
      signal?.throwIfAborted();
      return (await run(make(sql, params, signal), signal)).map(({ cells }) => cells);
    },
    read: shareReads(pool, {
      make: (text, values, signal) => make(text, values, signal, MOST_OF_READ),
      run,
      cancels,
    }),
  };
}

/**
 * Runs the statements of a transaction on a connection that the caller holds. One that failed may have left the
 * connection without what is said to be prepared there: `onFailure`.
 */
export function statementsWithin(
  client: pg.ClientBase,
  { fastLane, ...options }: Omit<StatementOptions, 'cancels'>,
  onFailure: () => void,
): TransactionStatements {
  return fastLane ? transactionStatements(client, options, onFailure) : plainTransaction(client);
}
