import type { Database } from '../db.ts';
import { callOf, lendFrom, modelsOf, openPrisma, type Prisma } from '../open-prisma.ts';
import { readsOn, type Reads } from './reads.ts';
import { AppError, codeOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { openServerPool, serverOf, type ServerLocation } from '../server-pool.ts';
import type { Signal } from '../../signal.ts';
import {
  ResultTooLargeError,
  runCancellable,
  statementsOn,
  watchStatements,
  type Cell,
  type OnStatement,
  type Param,
  type Row,
} from '../../wire/wire.ts';

/** How often positions are read, and how far a replica may lag, in milliseconds. */
export const ASK_EVERY = 200;
export const MAX_BEHIND = 2_000;
/** What a replica may have received without replaying it, in bytes: the part of an entry whose rest never came. */
const TORN = 1_048_576;
const CANCELLED = '57014';

/** One streaming replica. */
export interface Replica {
  /** Host and port. */
  server: string;
  reads: Reads;
  /** Whether it has replayed all writes of the session and lags at most MAX_BEHIND. */
  serves(viewer: { writtenLsn: number }): boolean;
  /**
   * The position up to which it has everything, if it has lost the primary and replayed all that came from there;
   * undefined otherwise.
   */
  alone(): number | undefined;
  /** Tells where the primary's log ended, and when. */
  note(end: LogEnd): void;
  /** Connections in use, and statements that wait for one. */
  load(): number;
  /** Do reads wait for a connection? */
  isBusy(): boolean;
  /** Seconds since the last instant whose commits the replica has for certain; infinite while it is not used. */
  lag(): number;
  close(): Promise<void>;
}

/** An instant, with the end of the primary's log at that time. */
export interface LogEnd {
  at: number;
  lsn: number;
}

/** What a replica needs of the gateway. */
export interface ReplicaServices {
  db: Database;
  log: Log;
  statementTimeoutMs: number;
  onStatement?: OnStatement | undefined;
  fastLane: boolean;
}

/**
 * Tracks the replica's position; an unreachable, lagging or promoted replica is not used. When a read fails there,
 * except by its time limit, the primary answers it.
 */
export function openReplica(
  { url, poolSize }: Pick<ServerLocation, 'url' | 'poolSize'>,
  services: ReplicaServices,
): Replica {
  const { db, log, onStatement, fastLane, statementTimeoutMs } = services;
  const server = serverOf(url);
  const pool = openServerPool(
    { url, poolSize },
    { statementTimeoutMs, connectionTimeoutMillis: 1_000, fastLane },
  );
  pool.on('error', (error) => log.warn({ err: error, server }, 'idle replica connection lost'));
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
      // The primary would read it all once more.
      if (error instanceof AppError || error instanceof ResultTooLargeError) throw error;
      if (codeOf(error) === CANCELLED) throw error;
      freshAt = askedAt = -Infinity;
      log.warn({ err: error, server }, 'read on the replica failed: repeated on the primary');
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

  /** The position that it has certainly replayed, and the last instant whose commits it has completely. */
  let replayed = -1;
  let freshAt = -Infinity;
  /** When it last told its position, and whether it then had lost the primary and had nothing more to replay. */
  let askedAt = -Infinity;
  let isAlone = false;
  let closed = false;
  let ends: LogEnd[] = [];
  const ask = async (): Promise<void> => {
    const at = performance.now();
    const [row] = await rows(
      `SELECT pg_is_in_recovery(), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'),
        EXISTS (SELECT FROM pg_stat_wal_receiver), coalesce(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), 0)`,
      [],
    );
    if (row?.[0] !== 't') throw new Error('it is not a replica');
    const now = Number(row[1]);
    isAlone = row[2] !== 't' && now === replayed && Number(row[3]) <= TORN;
    [replayed, askedAt] = [now, at];
    for (const end of ends) if (end.lsn <= replayed) freshAt = end.at;
    ends = ends.filter((end) => end.lsn > replayed && at - end.at < MAX_BEHIND);
  };
  let failing = false;
  const turn = async (): Promise<void> => {
    try {
      await ask();
      failing = false;
    } catch (error) {
      [freshAt, askedAt, replayed, ends] = [-Infinity, -Infinity, -1, []];
      if (!failing && !closed) log.warn({ err: error, server }, 'replica not used');
      failing = true;
    }
    if (!closed) timer = setTimeout(() => void (asking = turn()), failing ? 1_000 : ASK_EVERY);
  };
  let timer: NodeJS.Timeout | undefined;
  let asking = turn();

  return {
    server,
    reads: replica,
    serves: ({ writtenLsn }) => writtenLsn <= replayed && performance.now() - freshAt < MAX_BEHIND,
    alone: () => (isAlone && performance.now() - askedAt < MAX_BEHIND ? replayed : undefined),
    note: (end) => void ends.push(end),
    load: () => pool.totalCount - pool.idleCount + pool.waitingCount,
    isBusy: () => pool.waitingCount > 0,
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
