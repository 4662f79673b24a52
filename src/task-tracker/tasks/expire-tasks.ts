import type { Services } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { tryLock } from '../../core/sql/writes.sql.ts';
import { changeFeeds } from '../../task-execution/feeds/records/feed-writes.sql.ts';
import { lockOverTasks } from '../task-tracker.sql.ts';

/** An arbitrary constant: one gateway of a database at a time. */
const LOCK = 4_711_061;
const BATCH = 500;

/**
 * Sets the feeds of expired tasks to E, whoever their assignees are (F251), and returns their number. Does nothing
 * while another gateway does it.
 */
export async function expireTasks({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  let total = 0;
  for (;;) {
    const expired = await inTransaction({ db }, async (tx) => {
      const locked = await tryLock.first(tx.db, { lock: LOCK });
      if (!locked?.free) return 0;
      const now = new Date(clock());
      const rows = await lockOverTasks.rows(tx.db, { now, most: BATCH });
      const feedKeys = rows.map(({ feedKey }) => feedKey);
      const change = { status: 'E', has_history: true } as const;
      if (feedKeys.length > 0) await changeFeeds.rows(tx.db, { feedKeys, change, now });
      return feedKeys.length;
    });
    total += expired;
    if (expired < BATCH) return total;
  }
}
