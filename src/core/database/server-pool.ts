import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PLAN_SETTINGS, RELIED_ON, settingOf } from '../sql/session-settings.ts';
import { leaveDemotedServer } from './server/leave-demoted-server.ts';
import { leaveSilentServer } from './server/leave-silent-server.ts';
import { clientClass } from '../wire/wire.ts';

/** A PostgreSQL server and how it is reached. */
export interface ServerLocation {
  url: string;
  poolSize: number;
  /**
   * Direct address of the server when `url` leads to a pooler in transaction mode; used for LISTEN, which needs a
   * session.
   */
  directUrl?: string | undefined;
  /** Its streaming replicas, for reads. */
  replicaUrls?: readonly string[] | undefined;
}

const IDLE_IN_TRANSACTION_MS = 60_000;
/**
 * How long an unused connection is kept, and after how much silence it is probed, in milliseconds. A new one has to plan
 * every statement again: a burst that opens some is slow for a fifth of a second. The probes (TCP keepalive) end those whose
 * server is gone, and keep address translation and firewalls from forgetting the others.
 */
const KEEP_IDLE = 600_000;
const PROBE_AFTER = 10_000;
/**
 * Short statements with overestimated costs (lists within lists) would spend a tenth of a second on JIT compilation.
 * Parallel workers take longer to start than counting the feeds of a unit.
 */
const PLANNING = ['jit=off', 'parallel_setup_cost=10000', ...PLAN_SETTINGS];

/**
 * Opens connections to a server. A pooler passes no settings on, so the role must have them: see checkPooledSettings.
 */
export function openServerPool(
  { url, poolSize, directUrl }: ServerLocation,
  {
    statementTimeoutMs,
    connectionTimeoutMillis = 5_000,
    fastLane,
  }: { statementTimeoutMs: number; connectionTimeoutMillis?: number; fastLane: boolean },
): pg.Pool {
  const settings = `-c timezone=UTC ${[...PLANNING, ...RELIED_ON].map((setting) => `-c ${setting.replace(' ', '\\ ')}`).join(' ')} -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`;
  const pool = new pg.Pool({
    Client: clientClass(fastLane),
    max: poolSize,
    connectionTimeoutMillis,
    idleTimeoutMillis: KEEP_IDLE,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER,
    ...(directUrl === undefined ? withSettings(url, settings) : { connectionString: url }),
  });
  leaveDemotedServer(outliveConnections(pool));
  // A pooler, which is near, looks after its servers; its connections have other process IDs than theirs.
  return directUrl === undefined ? leaveSilentServer(pool, { statementTimeoutMs }) : pool;
}

/** A connection with these settings. The URL's own `options` would take their place: they go before them, so that ours count. */
function withSettings(url: string, settings: string): pg.ClientConfig {
  const { address, parameters } = partsOf(url);
  const own = parameters.get('options');
  if (own === null) return { connectionString: url, options: settings };
  parameters.delete('options');
  return { connectionString: `${address}?${String(parameters)}`, options: `${own} ${settings}` };
}

/** Host and port of a server: those of its URL, or of the parameters there, as for a socket. */
export function serverOf(url: string): string {
  const { address, parameters } = partsOf(url);
  const [, host = ''] = /^\w+:\/\/(?:[^@/]*@)?([^/]*)/.exec(address) ?? [];
  return host === '' ? (parameters.get('host') ?? '') : host;
}

/** The parts of a URL, which the system does not take for one where its host is left out. */
function partsOf(url: string): { address: string; parameters: URLSearchParams } {
  const [address = '', ...rest] = url.split('?');
  return { address, parameters: new URLSearchParams(rest.join('?')) };
}

/**
 * While a connection is in use the pool does not listen for its loss, and an unhandled error event would end the
 * process. The statement fails anyway.
 */
export function outliveConnections(pool: pg.Pool): pg.Pool {
  return pool.on('connect', (client) => void client.on('error', () => undefined));
}

/**
 * Thrown when sessions behind a pooler lack settings that the gateway requires; the message contains the statements to
 * run.
 */
class PooledSettingsError extends Error {
  override name = 'PooledSettingsError';
  readonly code = 'POOLED_SETTINGS';
}

/** Refuses a pooler whose sessions don't use UTC or have no time limits. Throws PooledSettingsError. */
export async function checkPooledSettings(
  client: pg.ClientBase,
  statementTimeoutMs: number,
): Promise<void> {
  const { rows } = await client.query<{ fit: boolean; role: string }>(
    `SELECT quote_ident(current_user) AS role, current_setting('TimeZone') IN ('UTC', 'Etc/UTC', 'GMT')
       AND current_setting('statement_timeout') <> '0' AND current_setting('idle_in_transaction_session_timeout') <> '0'
       AND current_schema() = 'public' AND current_setting('DateStyle') LIKE 'ISO%' AND current_setting('bytea_output') = 'hex' AND current_setting('default_transaction_isolation') = 'read committed' AS fit`,
  );
  if (!rows[0] || rows[0].fit) return;
  const set = (setting: string): string => `  ALTER ROLE ${rows[0]?.role ?? ''} SET ${setting};`;
  throw new PooledSettingsError(
    [
      'The role of DATABASE_URL needs these settings, because DATABASE_DIRECT_URL is set and a pooler does not pass them on. Run this, then restart the pooler:',
      set(`timezone = 'UTC'`),
      set(`statement_timeout = ${statementTimeoutMs}`),
      set(`idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`),
      ...PLANNING.map((setting) => set(setting.replace('=', ' = '))),
      ...RELIED_ON.map((setting) => set(settingOf(setting))),
    ].join('\n'),
  );
}

/**
 * Whether a pooler follows its clients from one server session to the next: it keeps their prepared statements, under
 * names of its own, and passes on what they cancel. PgBouncer does from 1.21 on, with `max_prepared_statements` above 0.
 * It is asked for no version, since other poolers have others: a statement looks for its own name in the server.
 */
export async function followsClients(client: pg.ClientBase): Promise<boolean> {
  const name = `trivium ${randomUUID()}`;
  const text = 'SELECT FROM pg_prepared_statements WHERE name = $1';
  // In a transaction the pooler stays with one session, in which nothing of this is left.
  await client.query('BEGIN');
  try {
    const { rowCount } = await client.query({ name, text, values: [name] });
    if (rowCount === 1) await client.query(`DEALLOCATE "${name}"`);
    await client.query('COMMIT');
    return rowCount === 0;
  } catch {
    await client.query('ROLLBACK');
    return false;
  }
}
