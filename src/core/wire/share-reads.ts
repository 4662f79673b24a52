import type pg from 'pg';
import { collectTurn } from '../collect-turn.ts';
import { onAnswers } from '../turns/share-of-turn.ts';
import type { Signal } from '../signal.ts';
import { cancelStatement } from './cancel-statement.ts';
import { fewAtOnce } from './few-at-once.ts';
import { SharedRoundTrip } from './shared-round-trip.ts';
import { SlowStatements } from './slow-statements.ts';
import type { TextQuery } from './text-query.ts';
import type { Param, Row, Run } from './types.ts';

/**
 * Most statements in one round trip: the database runs them one after the other, while this process is idle. With
 * eight, a page of 20 over GraphQL takes a tenth longer.
 */
const MOST = 4;
/**
 * When one statement delays the others this long, they are read on other connections, and it runs alone for a while; in
 * milliseconds.
 */
const PATIENCE = 100;

interface Read {
  query: TextQuery;
  signal: Signal | undefined;
  resolve: (rows: Row[] | Promise<Row[]>) => void;
}

interface Ways {
  /** Creates a query for a statement. */
  make: (sql: string, params: readonly Param[], signal: Signal | undefined) => TextQuery;
  /** Runs a query alone. */
  run: (query: TextQuery, signal?: Signal) => Promise<Row[]>;
  /** Whether statements are cancelled with their signal. */
  cancels: boolean;
}

/**
 * Runs statements that only read. Those requested in one turn of the event loop are sent together, and their answers
 * come together: under load, most of the cost of a small page is writing to and reading from sockets. No statement
 * waits for others to come, and none waits long behind a slow one. If one fails or is cancelled, the others are still
 * answered: those behind it run again, each alone.
 */
export function shareReads(pool: pg.Pool, { make, run, cancels }: Ways): Run<Row> {
  const slow = new SlowStatements();

  const again = async ({ query, signal }: Pick<Read, 'query' | 'signal'>): Promise<Row[]> => {
    signal?.throwIfAborted();
    return run(query.again(), signal);
  };
  const runAlone = (read: Read, done?: () => void): void => {
    const answer = again(read);
    read.resolve(answer);
    if (done) answer.then(done, done);
  };

  const runTogether = (wanted: readonly Read[], done: () => void): void =>
    pool.connect((unreachable, client, release) => {
      if (!client) {
        for (const { resolve } of wanted)
          resolve(Promise.reject(unreachable ?? new Error('no connection')));
        return done();
      }
      // Reads that were aborted while waiting for the connection are refused individually.
      const reads = wanted.filter(({ signal }) => !signal?.aborted);
      wanted.filter(({ signal }) => signal?.aborted).forEach((read) => runAlone(read));
      if (reads.length === 0) {
        release();
        return done();
      }
      const unanswered = new Set(reads);
      for (const read of reads) {
        const answered: TextQuery['callback'] = (error, rows = []) => {
          if (error || !unanswered.delete(read)) return;
          const wait = onAnswers.take();
          read.resolve(wait ? wait.then(() => rows) : rows);
        };
        read.query.callback = answered;
      }
      const trip = new SharedRoundTrip(reads.map(({ query }) => query));
      let cancelled: Promise<void> | undefined;
      const stop = (): void => void (cancelled ??= cancelStatement(client));
      const signals = cancels ? reads.flatMap(({ signal }) => signal ?? []) : [];
      for (const signal of signals) signal.addEventListener('abort', stop);
      // An answer that arrived while this process was busy is read before the immediate runs.
      const timer = setTimeout(
        () =>
          setImmediate(() => {
            const held = trip.current;
            if (!held || pool.waitingCount > 0) return;
            for (const read of unanswered) {
              if (read.query === held) continue;
              unanswered.delete(read);
              const answer = again(read);
              read.resolve(answer);
              // A statement is slow if others overtake it: on a busy machine all of them take long.
              void answer.then(
                () => trip.current === held && slow.add(held.text),
                () => undefined,
              );
            }
          }),
        PATIENCE,
      );
      const ended: SharedRoundTrip['callback'] = (error) => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', stop);
        unanswered.forEach((read) => runAlone(read));
        void Promise.resolve(cancelled).then(() => {
          release(cancelled !== undefined || (error ?? false));
          done();
        });
      };
      trip.callback = ended;
      try {
        client.query(trip);
      } catch (error) {
        trip.handleError(error instanceof Error ? error : new Error(String(error)));
      }
    });

  const collect = collectTurn<Read>(
    fewAtOnce(MOST, (reads, done) => {
      const [first] = reads;
      if (first && reads.length === 1) runAlone(first, done);
      else runTogether(reads, done);
    }),
  );

  return (sql, params, signal) => {
    const query = make(sql, params, signal);
    return slow.has(sql)
      ? again({ query, signal })
      : new Promise((resolve) => collect({ query, signal, resolve }));
  };
}
