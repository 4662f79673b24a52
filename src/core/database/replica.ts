import type { Database } from './db.ts';
import type { Log } from '../log.ts';
import { openServerPool, type ServerLocation } from './server-pool.ts';
import {
  statementsOn,
  watchStatements,
  type OnStatement,
  type Run,
  type Statements,
} from '../wire/wire.ts';

/** Where the lists and counts of one request are read. */
export interface Reads extends Statements {
  /** What is read may be this old, in milliseconds: 0 on the primary. */
  behindMs: number;
}

/** A streaming replica that takes reads off the primary. */
export interface Replica {
  /** The replica when it has replayed all that the session wrote and is at most MAX_BEHIND late, else the primary. */
  readsFor(viewer: { writtenLsn: number } | null): Reads;
  /** Remembers in the session, for all gateways, how far the log had come after its write. */
  noteWrite(viewer: { sessionId: string } | null): Promise<void>;
  /** Seconds since the last instant whose commits it certainly has; infinite while it is not used. */
  lag(): number;
  close(): Promise<void>;
}

/** How often the replica is asked how far it is, and how late it may be, in milliseconds. */
const ASK_EVERY = 200;
const MAX_BEHIND = 2_000;
const CANCELLED = '57014';

/** Reads on the primary. */
export function readsOn(db: Database): Reads {
  return {
    rows: (sql, params, signal) => db.rows(sql, params, signal),
    read: (sql, params, signal) => db.read(sql, params, signal),
    behindMs: 0,
  };
}

/** Follows how far the replica is; an unreachable, late or promoted one is not used. Every failure of a read but its time limit is answered by the primary. */
export function openReplica(
  location: ServerLocation & { replicaUrl: string },
  services: {
    db: Database;
    log: Log;
    statementTimeoutMs: number;
    onStatement?: OnStatement | undefined;
    fastLane: boolean;
  },
): Replica {
  const { db, log, onStatement, fastLane, statementTimeoutMs } = services;
  const pool = openServerPool(
    { url: location.replicaUrl, poolSize: location.poolSize },
    { statementTimeoutMs, connectionTimeoutMillis: 1_000, fastLane },
  );
  pool.on('error', (error) => log.warn({ err: error }, 'idle replica connection lost'));
  if (onStatement) watchStatements(pool, onStatement);
  const { rows, read } = statementsOn(pool, {
    prepares: true,
    cancels: true,
    onStatement,
    fastLane,
  });
  const elsePrimary =
    <Result>(run: Run<Result>, instead: Run<Result>): Run<Result> =>
    async (sql, params, signal) => {
      try {
        return await run(sql, params, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof Error && 'code' in error && error.code === CANCELLED) throw error;
        freshAt = -Infinity;
        log.warn({ err: error }, 'replica failed: read on the primary');
        return instead(sql, params, signal);
      }
    };
  const primary = readsOn(db);
  const replica: Reads = {
    rows: elsePrimary(rows, primary.rows),
    read: elsePrimary(read, primary.read),
    behindMs: MAX_BEHIND,
  };

  /** What the replica has replayed at least, and the last instant whose commits are all among it. */
  let replayed = -1;
  let freshAt = -Infinity;
  let closed = false;
  /** Instants, and where the primary's log ended then. */
  let ends: { at: number; lsn: number }[] = [];
  const ask = async (): Promise<void> => {
    const at = performance.now();
    const [primaryRow] = await db.rows(
      `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`,
      [],
    );
    ends.push({ at, lsn: Number(primaryRow?.[0]) });
    const [row] = await rows(
      `SELECT pg_is_in_recovery(), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')`,
      [],
    );
    if (row?.[0] !== 't') throw new Error('the server of DATABASE_REPLICA_URL is no replica');
    replayed = Number(row[1]);
    for (const end of ends) if (end.lsn <= replayed) freshAt = end.at;
    ends = ends.filter((end) => end.lsn > replayed && at - end.at < MAX_BEHIND);
  };
  let failing = false;
  const turn = async (): Promise<void> => {
    try {
      await ask();
      failing = false;
    } catch (error) {
      [freshAt, replayed] = [-Infinity, -1];
      if (!failing && !closed) log.warn({ err: error }, 'replica not used');
      failing = true;
    }
    if (!closed) timer = setTimeout(() => void (asking = turn()), failing ? 1_000 : ASK_EVERY);
  };
  let timer: NodeJS.Timeout | undefined;
  let asking = turn();

  return {
    readsFor: (viewer) =>
      viewer && viewer.writtenLsn <= replayed && performance.now() - freshAt < MAX_BEHIND
        ? replica
        : primary,
    async noteWrite(viewer) {
      if (!viewer) return;
      const sql = `UPDATE session SET written_lsn = pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 WHERE id = $1`;
      await db
        .rows(sql, [viewer.sessionId])
        .catch((error: unknown) =>
          log.error({ err: error }, 'write not noted: reads of the session may be late'),
        );
    },
    lag: () => (performance.now() - freshAt) / 1_000,
    async close() {
      closed = true;
      clearTimeout(timer);
      await asking;
      await pool.end();
    },
  };
}
