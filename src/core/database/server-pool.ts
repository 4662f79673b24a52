import pg from 'pg';
import { clientClass } from '../wire/wire.ts';

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
  {
    statementTimeoutMs,
    connectionTimeoutMillis = 5_000,
    fastLane,
  }: { statementTimeoutMs: number; connectionTimeoutMillis?: number; fastLane: boolean },
): pg.Pool {
  // Statements of milliseconds whose cost is overestimated (lists within lists) would be compiled for a tenth of a second. Workers take longer
  // to start than the feeds of a unit to count.
  const options = `-c timezone=UTC -c jit=off -c parallel_setup_cost=10000 -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`;
  const pool = new pg.Pool({
    Client: clientClass(fastLane),
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
