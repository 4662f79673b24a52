// The wire between this process and PostgreSQL: rows are kept as the bytes that the database sends, and reads of one turn of the event loop share a round trip.
// This file is the entry of the room: nothing else of it is imported from outside. docs/fast-lane.md tells what it is for.

import pg from 'pg';
import { RowClient } from './row-client.ts';
import { plainStatements } from './plain-statements.ts';
import { runCancellable } from './run-cancellable.ts';
import { shareReads } from './share-reads.ts';
import { TextQuery } from './text-query.ts';
import type { Signal } from '../signal.ts';
import type { OnStatement, Param, Statements } from './types.ts';
import type { WireRow } from './wire-row.ts';

export type { Cell, OnStatement, Param, Row, Run, Statements } from './types.ts';
export { watchStatements } from './watch-statements.ts';
export { CELL_HEAD, cellLength, ROW_HEAD, WireRow } from './wire-row.ts';

/** How statements are run on a pool. */
export interface StatementOptions {
  /** Prepared, by name: not where a pooler may hand each statement to another server session. */
  prepares: boolean;
  /** Cancelled with their signal: only where the server session is known. */
  cancels: boolean;
  onStatement: OnStatement | undefined;
  /** Without it rows are those of `pg`, and each statement goes by itself. */
  fastLane: boolean;
}

/** The class of the clients of a pool. */
export function clientClass(fastLane: boolean): typeof pg.Client {
  return fastLane ? RowClient : pg.Client;
}

/** Runs statements on a pool whose clients are of `clientClass`. */
export function statementsOn(
  pool: pg.Pool,
  { prepares, cancels, onStatement, fastLane }: StatementOptions,
): Statements {
  if (!fastLane) return plainStatements(pool, { cancels });
  // The pool's promise holds what the query calls back with; its typings know only the queries of `pg`.
  const run = (query: TextQuery, signal?: Signal): Promise<WireRow[]> =>
    signal
      ? runCancellable(pool, { signal, cancels }, (client) => query.runOn(client))
      : (pool.query(query) as unknown as Promise<WireRow[]>);
  const make = (text: string, values: readonly Param[]): TextQuery =>
    new TextQuery({ text, values, prepares, onStatement });
  return {
    rows: async (sql, params, signal) => {
      signal?.throwIfAborted();
      return (await run(make(sql, params), signal)).map(({ cells }) => cells);
    },
    read: shareReads(pool, { make, run, cancels }),
  };
}
