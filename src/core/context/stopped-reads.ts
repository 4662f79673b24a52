import type { Context } from './context.ts';

/** The capabilities of a request that only reads: when nobody waits for its answer any more it reads nothing further, and the database cancels what it does for it. */
export function stoppedReads({ db, reads, signal }: Context): Partial<Context> {
  return signal
    ? {
        db: db.within(signal),
        reads: {
          behindMs: reads.behindMs,
          rows: (sql, params) => reads.rows(sql, params, signal),
          read: (sql, params) => reads.read(sql, params, signal),
        },
      }
    : {};
}
