import type { Database } from './db.ts';
import { callOf, lendFrom, modelsOf, openPrisma, type Prisma } from './open-prisma.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { openServerPool, type ServerLocation } from './server-pool.ts';
import type { Signal } from '../signal.ts';
import {
  runCancellable,
  statementsOn,
  watchStatements,
  type Cell,
  type OnStatement,
  type Param,
  type Row,
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
  return new PrimaryReads(db);
}

/** Made for most requests, few of which call Prisma: its client is looked up when they do. */
class PrimaryReads implements Reads {
  readonly #db: Database;
  readonly behindMs = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  get prisma(): Prisma {
    return this.#db.prisma;
  }

  rows(sql: string, params: readonly Param[], signal?: Signal): Promise<Cell[][]> {
    return this.#db.rows(sql, params, signal);
  }

  read(sql: string, params: readonly Param[], signal?: Signal): Promise<Row[]> {
    return this.#db.read(sql, params, signal);
  }

  within(signal: Signal): Reads {
    return new PrimaryReads(this.#db.within(signal));
  }
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
  const primary = readsOn(db);
  const prismaWithin = (limit: Signal | undefined): Prisma => {
    const first = prisma.on(
      limit
        ? (work) => runCancellable(pool, { signal: limit, cancels: true }, work)
        : lendFrom(pool),
    );
    const instead = limit ? primary.within(limit) : primary;
    return modelsOf((model, operation, args) =>
      tryReplica(
        () => callOf(first, model, operation)(args),
        () => callOf(instead.prisma, model, operation)(args),
        limit,
      ),
    );
  };
  /** For one request; Prisma's client is made when it is asked for. */
  class ReplicaReads implements Reads {
    readonly #limit: Signal | undefined;
    #prisma: Prisma | undefined;
    readonly behindMs = MAX_BEHIND;

    constructor(limit?: Signal) {
      this.#limit = limit;
    }

    get prisma(): Prisma {
      return (this.#prisma ??= prismaWithin(this.#limit));
    }

    rows(sql: string, params: readonly Param[], signal = this.#limit): Promise<Cell[][]> {
      return tryReplica(
        () => rows(sql, params, signal),
        () => primary.rows(sql, params, signal),
        signal,
      );
    }

    read(sql: string, params: readonly Param[], signal = this.#limit): Promise<Row[]> {
      return tryReplica(
        () => read(sql, params, signal),
        () => primary.read(sql, params, signal),
        signal,
      );
    }

    within(signal: Signal): Reads {
      return new ReplicaReads(signal);
    }
  }
  const replica = new ReplicaReads();

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
