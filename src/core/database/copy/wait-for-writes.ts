import type { Database } from '../db.ts';
import { codeOf } from '../../errors.ts';

/** The lock that every write of a domain shares until its commit; the migration of `domain_written` uses the same number. */
const WRITES = 4_711_063;

/** Waits until no write of a domain is open any more that began before; false where it takes longer. */
export async function waitForWrites(
  db: Pick<Database, 'transaction'>,
  domainId: number,
  longestMs: number,
): Promise<boolean> {
  try {
    await db.transaction(async (_, tx) => {
      await tx.rows('SET LOCAL statement_timeout = 0', []);
      await tx.rows(`SET LOCAL lock_timeout = ${longestMs}`, []);
      await tx.rows('SELECT FROM pg_advisory_xact_lock($1::int, $2::int)', [WRITES, domainId]);
    });
    return true;
  } catch (error) {
    // lock_not_available
    if (codeOf(error) === '55P03') return false;
    throw error;
  }
}

/** Keeps other commands from changing a domain until the end of the transaction. */
export async function holdDomain(tx: Pick<Database, 'rows'>, domainId: number): Promise<void> {
  await tx.rows('SELECT FROM domain WHERE id = $1 FOR UPDATE', [domainId]);
}
