import type pg from 'pg';
import type { Cell, Database, Param } from './db.ts';
import { cancel } from './query-within.ts';
import { SharedRoundTrip } from './shared-round-trip.ts';
import type { TextQuery } from './text-query.ts';

/** Statements of one round trip, at most: the database runs them one after the other. */
const MOST = 8;
/** When one holds the others up for so long, they are read elsewhere, and it goes alone for a while; milliseconds. */
const PATIENCE = 100;
const ALONE_FOR = 60_000;

interface Read {
  query: TextQuery;
  signal: AbortSignal | undefined;
  resolve: (rows: Cell[][] | Promise<Cell[][]>) => void;
}

interface Ways {
  make: (sql: string, params: readonly Param[]) => TextQuery;
  /** Runs a query by itself. */
  run: (query: TextQuery, signal?: AbortSignal) => Promise<Cell[][]>;
  cancels: boolean;
}

/**
 * Runs statements that only read. Those that are asked for in one turn of the event loop go to the database together, and their answers come together: under load, most of
 * what a small page costs is writing to sockets and reading from them. None waits for others to come, and none waits long behind a slow one. One that fails, or that is
 * cancelled with its signal, takes no other along: those behind it run again by themselves.
 */
export function shareReads(pool: pg.Pool, { make, run, cancels }: Ways): Database['read'] {
  /** Texts of slow statements, and until when they go alone. */
  const slow = new Map<string, number>();
  let turn: Read[] = [];

  const runAlone = ({ query, signal, resolve }: Read): void => resolve(signal?.aborted ? Promise.reject(signal.reason as Error) : run(query.again(), signal));

  const runTogether = (reads: readonly Read[]): void =>
    pool.connect((unreachable, client, release) => {
      if (!client) return reads.forEach(({ resolve }) => resolve(Promise.reject(unreachable ?? new Error('no connection'))));
      const unanswered = new Set(reads);
      for (const read of reads) {
        read.query.callback = (error, rows = []) => {
          if (!error && unanswered.delete(read)) read.resolve(rows);
        };
      }
      const leave = (read: Read): void => {
        if (unanswered.delete(read)) runAlone(read);
      };
      const trip = new SharedRoundTrip(reads.map(({ query }) => query));
      let cancelled: Promise<void> | undefined;
      const stop = (): void => void (cancelled ??= cancel(pool, client));
      const signals = cancels ? reads.flatMap(({ signal }) => signal ?? []) : [];
      for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
      // An answer that came while this process was busy is read before the immediate runs.
      const timer = setTimeout(() => setImmediate(() => {
        const { current } = trip;
        if (!current || pool.waitingCount > 0) return;
        if (slow.size >= 500) slow.clear();
        slow.set(current.text, performance.now() + ALONE_FOR);
        for (const read of [...unanswered]) if (read.query !== current) leave(read);
      }), PATIENCE);
      trip.callback = (error) => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', stop);
        for (const read of [...unanswered]) leave(read);
        void Promise.resolve(cancelled).then(() => release(cancelled !== undefined || (error ?? false)));
      };
      client.query(trip);
    });

  const send = (): void => {
    const reads = turn;
    turn = [];
    const [first] = reads;
    if (first && reads.length === 1) return runAlone(first);
    for (let start = 0; start < reads.length; start += MOST) runTogether(reads.slice(start, start + MOST));
  };

  return (sql, params, signal) => {
    const query = make(sql, params);
    const until = slow.get(sql);
    if (until !== undefined && performance.now() < until) return run(query, signal);
    return new Promise((resolve) => {
      if (turn.push({ query, signal, resolve }) === 1) setImmediate(send);
    });
  };
}
