import { lendFrom, type Database } from './db.ts';
import { callOf, modelsOf, openPrisma, type Prisma } from './open-prisma.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { openServerPool, type ServerLocation } from './server-pool.ts';
import type { Signal } from '../signal.ts';
import {
  runCancellable,
  statementsOn,
  watchStatements,
  type OnStatement,
  type Run,
  type Statements,
} from '../wire/wire.ts';

/** The database from which one request reads lists and counts. */
export interface Reads extends Statements {
  /** The same reads, cancelled with the signal. */
  within: (signal: Signal) => Reads;
  /** For everyday reads. */
  prisma: Prisma;
  /** How old its data may be, in milliseconds: 0 on the primary. */
  behindMs: number;
}

/** A streaming replica that takes reads off the primary. */
export interface Replica {
  /** The replica, if it has replayed all writes of the session and lags at most MAX_BEHIND; else the primary. */
  readsFor(viewer: { writtenLsn: number } | null): Reads;
  /** Stores in the session, for all gateways, the position of the log after its write. */
  noteWrite(viewer: { sessionId: string } | null): Promise<void>;
  /** Seconds since the last instant whose commits the replica has for certain; infinite while it is not used. */
  lag(): number;
  close(): Promise<void>;
}

/** How often the replica's position is read, and how far it may lag, in milliseconds. */
const ASK_EVERY = 200;
const MAX_BEHIND = 2_000;
const CANCELLED = '57014';

/** Reads from the primary. */
export function readsOn(db: Database): Reads {
  return {
    rows: (sql, params, signal) => db.rows(sql, params, signal),
    read: (sql, params, signal) => db.read(sql, params, signal),
    prisma: db.prisma,
    within: (signal) => readsOn(db.within(signal)),
    behindMs: 0,
  };
}

/**
 * Tracks the replica's position; an unreachable, lagging or promoted replica is not used. When a read fails there,
 * except by its time limit, the primary answers it.
 */
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
  const prisma = openPrisma({ prepares: true });
  const tryReplica = async <Result>(
    run: () => Promise<Result>,
    instead: () => Promise<Result>,
    signal?: Signal,
  ): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AppError) throw error;
      if (error instanceof Error && 'code' in error && error.code === CANCELLED) throw error;
      freshAt = -Infinity;
      log.warn({ err: error }, 'read on the replica failed: repeated on the primary');
      return instead();
    }
  };
  const elsePrimary =
    <Result>(run: Run<Result>, instead: Run<Result>, limit?: Signal): Run<Result> =>
    (sql, params, signal = limit) =>
      tryReplica(
        () => run(sql, params, signal),
        () => instead(sql, params, signal),
        signal,
      );
  const primary = readsOn(db);
  const replicaWithin = (limit?: Signal): Reads => {
    const instead = limit ? primary.within(limit) : primary;
    const first = prisma.on(
      limit
        ? (work) => runCancellable(pool, { signal: limit, cancels: true }, work)
        : lendFrom(pool),
    );
    return {
      rows: elsePrimary(rows, primary.rows, limit),
      read: elsePrimary(read, primary.read, limit),
      prisma: modelsOf((model, operation, args) =>
        tryReplica(
          () => callOf(first, model, operation)(args),
          () => callOf(instead.prisma, model, operation)(args),
          limit,
        ),
      ),
      within: replicaWithin,
      behindMs: MAX_BEHIND,
    };
  };
  const replica = replicaWithin();

  /** The position that the replica has certainly replayed, and the last instant whose commits it has completely. */
  let replayed = -1;
  let freshAt = -Infinity;
  let closed = false;
  /** Instants, each with the end of the primary's log at that time. */
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
    if (row?.[0] !== 't') throw new Error('the server of DATABASE_REPLICA_URL is not a replica');
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
          log.error(
            { err: error },
            'the position of a write could not be stored: the session may read older data from the replica',
          ),
        );
    },
    lag: () => (performance.now() - freshAt) / 1_000,
    async close() {
      closed = true;
      clearTimeout(timer);
      await asking;
      await prisma.close();
      await pool.end();
    },
  };
}
