import type { Socket } from 'node:net';
import pg from 'pg';

/** How often connections are looked at, in milliseconds. */
const EVERY = 5_000;
/** Beyond the time limit of statements, in milliseconds: the server cancels what takes longer, and says so. */
const MARGIN = 10_000;
/** Longest wait for a new connection, and for its answer, in milliseconds. */
const PATIENCE = 5_000;
/** A server that can't be asked so many times in turn is gone. */
const ATTEMPTS = 3;

/** Members that the types of `pg` leave out. */
interface Wire {
  connection: { stream: Socket };
  readyForQuery: boolean;
  processID: number;
}

/** What a connection had received when it was last looked at, and how long it has waited for more, in milliseconds. */
interface Silence {
  bytesRead: number;
  ms: number;
  /** How often the server could not be asked since. */
  failures: number;
}

interface Limits {
  statementTimeoutMs: number;
  /** Tests look more often than once in `step` milliseconds, and count as if they did not. */
  every?: number;
  step?: number;
}

/**
 * Drops connections that wait for an answer for longer than a statement may take, if the server says that it does not work
 * for them, or can't be asked. A server that vanishes without a word, such as one whose address is gone, is given up by TCP
 * only after a quarter of an hour if it has not received what was sent, and the pool would be without these connections for
 * so long. Probes (TCP keepalive) only end those on which nothing is under way.
 */
export function leaveSilentServer(
  pool: pg.Pool,
  { statementTimeoutMs, every = EVERY, step = every }: Limits,
): pg.Pool {
  const all = new Map<Wire, Silence>();
  let [timer, asking]: [NodeJS.Timeout | undefined, boolean] = [undefined, false];

  /** Those that wait for too long. */
  const look = (): [Wire, Silence][] =>
    [...all].filter(([client, silence]) => {
      const { bytesRead } = client.connection.stream;
      const waits = !client.readyForQuery && bytesRead === silence.bytesRead;
      // By what was seen: a computer that slept has not waited.
      if (waits) silence.ms += step;
      else Object.assign(silence, { bytesRead, ms: 0, failures: 0 });
      return silence.ms > statementTimeoutMs + MARGIN;
    });

  const judge = async (waiting: readonly [Wire, Silence][]): Promise<void> => {
    const seen = waiting.map(([client]) => client.connection.stream.bytesRead);
    const states = await statesOf(
      pool.options,
      waiting.map(([{ processID }]) => processID),
    );
    for (const [index, [client, silence]] of waiting.entries()) {
      const { stream } = client.connection;
      if (client.readyForQuery || stream.bytesRead !== seen[index]) continue;
      silence.failures = states === 'no answer' ? silence.failures + 1 : 0;
      if (typeof states === 'string') {
        if (silence.failures < ATTEMPTS) continue;
      } else if (!isIdle(states.get(client.processID))) {
        silence.ms = 0;
        continue;
      }
      const error = new Error('The database server does not answer any more');
      stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }
  };

  const lookAndJudge = (): void => {
    const waiting = look();
    if (waiting.length === 0 || asking) return;
    asking = true;
    void judge(waiting).finally(() => (asking = false));
  };

  return pool
    .on('connect', (client) => {
      all.set(client as unknown as Wire, { bytesRead: 0, ms: 0, failures: 0 });
      timer ??= setInterval(lookAndJudge, every).unref();
    })
    .on('remove', (client) => {
      all.delete(client as unknown as Wire);
      if (all.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
}

/** Codes of the system for a server that is not there. Time-outs and connections that are cut have none. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'],
]);

/** A session that is gone has no state. */
const isIdle = (state: string | undefined): boolean =>
  state === undefined || state.startsWith('idle');

/**
 * The states of sessions by their process IDs. `unknown` where that is not the answer: the server has no place for who asks,
 * a proxy before it has IDs of its own, or the fault is here, such as a name that is not resolved.
 */
async function statesOf(
  options: pg.PoolConfig,
  processIds: readonly number[],
): Promise<ReadonlyMap<number, string> | 'unknown' | 'no answer'> {
  const asker = new pg.Client({
    ...options,
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
  });
  asker.on('error', () => undefined);
  try {
    await asker.connect();
    const { rows } = await asker.query<{ pid: number; state: string | null }>(
      `SELECT pid, state FROM pg_stat_activity WHERE pid IN (${processIds.join()}) OR pid = pg_backend_pid()`,
    );
    const states = new Map(rows.map(({ pid, state }) => [pid, state ?? 'unknown']));
    return states.has((asker as unknown as Wire).processID) ? states : 'unknown';
  } catch (error) {
    const { code } = error as { code?: string };
    return code === undefined || UNREACHABLE.has(code) ? 'no answer' : 'unknown';
  } finally {
    void asker.end().catch(() => undefined);
  }
}
