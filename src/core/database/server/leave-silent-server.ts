import type { Socket } from 'node:net';
import pg from 'pg';

/** How often connections are looked at, in milliseconds. */
const EVERY = 5_000;
/** Beyond the time limit of statements, in milliseconds: the server cancels what takes longer, and says so. */
const MARGIN = 10_000;
/** Longest wait for a new connection, and for its answer, in milliseconds. */
const PATIENCE = 5_000;

/** Members that the types of `pg` leave out. */
interface Wire {
  connection: { stream: Socket };
  readyForQuery: boolean;
  processID: number | null;
}

/** What a connection had received when it was last looked at, and how long it has waited for more, in milliseconds. */
interface Silence {
  bytesRead: number;
  ms: number;
}

interface Limits {
  statementTimeoutMs: number;
  /** Tests look more often than once in `step` milliseconds, and count as if they did not. */
  every?: number;
  step?: number;
}

/**
 * Drops connections that wait for an answer for longer than a statement may take, unless the server says that it works on
 * one. A server that vanishes without a word, such as one whose address is gone, is given up by TCP only after a quarter of
 * an hour if it has not received what was sent, and the pool would be without these connections for so long. Probes (TCP
 * keepalive) only end those on which nothing is under way.
 */
export function leaveSilentServer(
  pool: pg.Pool,
  { statementTimeoutMs, every = EVERY, step = every }: Limits,
): pg.Pool {
  const all = new Map<pg.PoolClient, Silence>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const [client, silence] of all) {
      const { connection, readyForQuery, processID } = client as unknown as Wire;
      const { stream } = connection;
      const waits = !readyForQuery && stream.bytesRead === silence.bytesRead;
      // By what was seen: a computer that slept has not waited.
      silence.ms = waits ? silence.ms + step : 0;
      silence.bytesRead = stream.bytesRead;
      if (silence.ms <= statementTimeoutMs + MARGIN) continue;
      silence.ms = 0;
      void worksOn(pool.options, processID).then((works) => {
        if (works || stream.bytesRead !== silence.bytesRead) return;
        const error = new Error('The database server does not answer any more');
        stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
      });
    }
  };
  return pool
    .on('connect', (client) => {
      all.set(client, { bytesRead: 0, ms: 0 });
      timer ??= setInterval(look, every).unref();
    })
    .on('remove', (client) => {
      all.delete(client);
      if (all.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
}

/** Whether the server works on a statement of this connection. A server that answers, but not to this question, may. */
async function worksOn(options: pg.PoolConfig, processID: number | null): Promise<boolean> {
  const client = new pg.Client({
    ...options,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ state: string }>(
      `SELECT state FROM pg_stat_activity WHERE pid = ${Number(processID)}`,
    );
    return rows[0]?.state === 'active';
  } catch (error) {
    return error instanceof pg.DatabaseError;
  } finally {
    void client.end().catch(() => undefined);
  }
}
