import pg from 'pg';
import type { Database, Param } from './db.ts';
import { queryWithin } from '../wire/query-within.ts';
import type { Row } from '../wire/row.ts';
import { RowClient } from '../wire/row-client.ts';
import type { Signal } from '../signal.ts';
import { shareReads } from '../wire/share-reads.ts';
import { TextQuery } from '../wire/text-query.ts';
import type { OnStatement } from '../wire/watch-statements.ts';

/** A PostgreSQL server and how it is reached. */
export interface ServerLocation {
  url: string;
  poolSize: number;
  /** The server itself when `url` leads to a pooler in transaction mode: what needs a session of its own (LISTEN) goes there. */
  directUrl?: string | undefined;
  /** One streaming replica of it, for reads. */
  replicaUrl?: string | undefined;
}

const IDLE_IN_TRANSACTION_MS = 60_000;

/** Connections to a server. A pooler passes no settings on, so that there they have to be those of the role: see checkPooledSettings. */
export function openServerPool(
  { url, poolSize, directUrl }: ServerLocation,
  statementTimeoutMs: number,
  connectionTimeoutMillis = 5_000,
): pg.Pool {
  // Statements of milliseconds whose cost is overestimated (lists within lists) would be compiled for a tenth of a second. Workers take longer
  // to start than the feeds of a unit to count.
  const options = `-c timezone=UTC -c jit=off -c parallel_setup_cost=10000 -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`;
  const pool = new pg.Pool({
    Client: RowClient,
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis,
    ...(directUrl === undefined ? { options } : {}),
  });
  return outliveConnections(pool);
}

/** While a connection is in use the pool does not listen for its loss, and an error event that nobody hears ends the process; the statement fails anyway. */
export function outliveConnections(pool: pg.Pool): pg.Pool {
  return pool.on('connect', (client) => void client.on('error', () => undefined));
}

/** Thrown when the sessions behind a pooler lack what the gateway depends on; the message is what to run. */
export class PooledSettingsError extends Error {
  override name = 'PooledSettingsError';
  readonly code = 'POOLED_SETTINGS';
}

/** Refuses a pooler whose sessions have another time zone than UTC, or no time limits. Throws PooledSettingsError. */
export async function checkPooledSettings(
  client: pg.ClientBase,
  statementTimeoutMs: number,
): Promise<void> {
  const { rows } = await client.query<{ fit: boolean; role: string }>(
    `SELECT quote_ident(current_user) AS role, current_setting('TimeZone') IN ('UTC', 'Etc/UTC', 'GMT')
       AND current_setting('statement_timeout') <> '0' AND current_setting('idle_in_transaction_session_timeout') <> '0' AS fit`,
  );
  if (!rows[0] || rows[0].fit) return;
  const set = (setting: string): string => `  ALTER ROLE ${rows[0]?.role ?? ''} SET ${setting};`;
  throw new PooledSettingsError(
    [
      'The role of DATABASE_URL needs these settings, for a pooler (DATABASE_DIRECT_URL is set) passes none on. Run, then restart the pooler:',
      set(`timezone = 'UTC'`),
      set(`statement_timeout = ${statementTimeoutMs}`),
      set(`idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`),
    ].join('\n'),
  );
}

/** How statements are run on a pool. */
export interface PoolOptions {
  /** By name: not where a pooler may hand each statement to another server session. */
  prepares: boolean;
  /** With their signal: only where the server session is known. */
  cancels: boolean;
  onStatement: OnStatement | undefined;
}

/** Runs statements on a pool of RowClients: each by itself, or those of one turn of the event loop together. */
export function rowsOn(
  pool: pg.Pool,
  { prepares, cancels, onStatement }: PoolOptions,
): Pick<Database, 'rows' | 'read'> {
  // The pool's promise holds what the query calls back with; its typings know only the queries of `pg`.
  const run = (query: TextQuery, signal?: Signal): Promise<Row[]> =>
    signal
      ? queryWithin(pool, query, { signal, cancels })
      : (pool.query(query) as unknown as Promise<Row[]>);
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
