import type { Context } from './context.ts';

/**
 * The capabilities of a request that only reads: when nobody waits for its reply any more, it starts no further
 * statement, and the database cancels the running one.
 */
export function stoppedReads({
  db,
  reads,
  signal,
}: Pick<Context, 'db' | 'reads' | 'signal'>): Partial<Pick<Context, 'db' | 'reads'>> {
  return signal ? { db: db.within(signal), reads: reads.within(signal) } : {};
}
