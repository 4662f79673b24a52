import type { Services } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { tryLock } from '../../core/sql/writes.sql.ts';
import { announceChanges, logOverdue, noteSweep } from './keep-changes.sql.ts';

/** An arbitrary constant: one gateway sweeps at a time. */
const SWEEP_LOCK = 4_711_002;

/**
 * Logs the feeds that became overdue since the last sweep, because nothing is written to them at that moment (D-50),
 * and their parents, which count them. The allowed days are configured at six scopes: a feed is logged for every value
 * that is configured anywhere. Returns the number of logged rows.
 */
export async function sweepOverdue(services: Pick<Services, 'db' | 'clock'>): Promise<number> {
  return inTransaction(services, async ({ db }) => {
    if (!(await tryLock.first(db, { lock: SWEEP_LOCK }))?.free) return 0;
    const now = new Date(services.clock());
    const logged = await logOverdue.first(db, { now });
    await noteSweep.rows(db, { now });
    if (logged?.rows) await announceChanges.rows(db, {});
    return logged?.rows ?? 0;
  });
}
