import type { Services } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { tryLock } from '../../core/sql/writes.sql.ts';
import { announceChanges, logOverdue, noteSweep, sweptUntil } from './keep-changes.sql.ts';
import { OVERLAP } from './start-position.ts';

/** An arbitrary constant: one gateway sweeps at a time. */
const SWEEP_LOCK = 4_711_002;

/** The last sweep of this process. */
interface Sweep {
  until: number;
  /** Another gateway, whose clock is ahead, or this one before its clock was set back, has swept further. */
  isBehind: boolean;
}

const sweeps = new WeakMap<Database['notifications'], Sweep>();

/**
 * Logs the feeds that became overdue since the last sweep, because nothing is written to them at that moment (D-50),
 * and their parents, which count them. The allowed days are configured at six scopes: a feed is logged for every value
 * that is configured anywhere. Returns the number of logged rows. Who is told of a change reads the feed by the clock of
 * its gateway: so a feed is logged when it is overdue by the others' clocks, too, and again by a gateway whose clock is
 * further behind.
 */
export async function sweepOverdue(services: Pick<Services, 'db' | 'clock'>): Promise<number> {
  return inTransaction(services, async ({ db }) => {
    if (!(await tryLock.first(db, { lock: SWEEP_LOCK }))?.free) return 0;
    const until = services.clock() - OVERLAP;
    const swept = (await sweptUntil.first(db, {}))?.sweptUntil?.getTime();
    const own = sweeps.get(db.notifications);
    const isBehind = swept !== undefined && swept > until;
    sweeps.set(db.notifications, { until, isBehind });
    await noteSweep.rows(db, { until: new Date(until) });
    // The first sweep has nothing to log.
    if (swept === undefined) return 0;
    const from = isBehind || own?.isBehind ? Math.min(own?.until ?? until, swept) : swept;
    const logged = await logOverdue.first(db, { from: new Date(from), until: new Date(until) });
    if (logged?.rows) await announceChanges.rows(db, {});
    return logged?.rows ?? 0;
  });
}
