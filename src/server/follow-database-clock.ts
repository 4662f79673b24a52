import type { Clock } from '../core/context/context.ts';
import type { Database } from '../core/database/db.ts';
import { databaseTime } from '../core/sql/writes.sql.ts';

/** How long the clock goes on by itself before the database is asked again, in milliseconds. */
const ASK_AFTER = 10_000;

/**
 * The clock of the database, as all its gateways tell it: what one has written, another compares, and what one sweeps is
 * gone for all. It goes on at the pace of this machine, whose own clock may be wrong or set meanwhile, and is compared with
 * the database now and then.
 */
export async function followDatabaseClock(db: Pick<Database, 'read'>): Promise<Clock> {
  let ahead = Date.now() - performance.now();
  let askedAt = -Infinity;
  const ask = async (): Promise<void> => {
    const asked = (askedAt = performance.now());
    const [row] = await databaseTime.quickRows(db, {});
    if (!row) return;
    const answered = performance.now();
    const told = row.now - (asked + answered) / 2;
    // The database read its clock somewhere in between, and told whole milliseconds.
    if (Math.abs(told - ahead) > (answered - asked) / 2 + 1) ahead = told;
  };
  const askQuietly = (): Promise<void> => ask().catch(() => undefined);
  await askQuietly();
  return () => {
    const now = performance.now();
    if (now - askedAt > ASK_AFTER) void askQuietly();
    return Math.floor(now + ahead);
  };
}
