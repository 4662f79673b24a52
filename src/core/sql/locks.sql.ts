import { statement } from './statement.ts';
import { bool, int8 } from './types.ts';

/** Takes a lock of this number until the end of the transaction, unless another transaction holds it. */
export const tryLock = statement({
  text: 'SELECT pg_try_advisory_xact_lock($lock) AS free',
  params: { lock: int8 },
  row: { free: bool },
});

/** Takes a lock of this number until the end of the transaction, as soon as no other transaction holds it. */
export const waitForLock = statement({
  text: 'SELECT FROM pg_advisory_xact_lock($lock)',
  params: { lock: int8 },
  row: {},
});
