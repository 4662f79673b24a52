import pg from 'pg';
import { RELIED_ON, settingOf } from '../sql/session-settings.ts';

/** Lends a connection for work that takes long or needs a session. */
export type Apart = <T>(work: (client: pg.ClientBase) => Promise<T>) => Promise<T>;

/**
 * Lends connections of their own to a server, past any pooler, which would share them; or the only one of an embedded
 * database.
 */
export function apartOn(
  server: { url: string; directUrl?: string | undefined } | undefined,
  pool: pg.Pool,
): Apart {
  if (server) return (work) => connectApart(server.directUrl ?? server.url, work);
  return async (work) => {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
}

async function connectApart<T>(
  connectionString: string,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'trivium migrate',
  });
  // Its loss fails the statement that runs.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      `SET timezone = 'UTC'; SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; ${RELIED_ON.map((setting) => `SET ${settingOf(setting)}`).join('; ')}`,
    );
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
