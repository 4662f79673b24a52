import { limitWaiting, type Limit } from '../turns/limit-waiting.ts';

/** A transaction that has not begun after so many milliseconds is given up, like any wait for a connection. */
const WAIT_MS = 5_000;

/** Transactions that run, and those that wait. */
export interface Transactions extends Limit {
  /** Whether more wait than run. */
  areMany(): boolean;
}

/**
 * Leaves a third of the connections of a pool to statements outside of transactions: while the disk is slow, all that
 * commit wait for it, which reads need not. An embedded database has one connection, and no such limit. Throws BusyError.
 */
export function limitTransactions(poolSize: number | undefined): Transactions {
  const parallel = poolSize === undefined ? Infinity : poolSize - Math.floor(poolSize / 3);
  const limit = limitWaiting({ parallel, waitMs: WAIT_MS });
  return Object.assign(limit, { areMany: () => limit.waiting() > parallel });
}
