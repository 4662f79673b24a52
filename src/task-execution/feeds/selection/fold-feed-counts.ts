import type { Services } from '../../../core/context/context.ts';

/** Rows folded per transaction; and transactions per run, because stopping waits for the run to end. */
const BATCH = 10_000;
const BATCHES = 20;

/**
 * Folds the deltas of list counters into their sums, one batch per transaction, and returns the number of rows. Counts
 * are exact without it, but get slower. Does nothing while another gateway does it.
 */
export async function foldFeedCounts({ db }: Pick<Services, 'db'>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const [row] = await db.rows(`SELECT feed_count_fold(${BATCH})`, []);
    const folded = Number(row?.[0]);
    total += folded;
    if (folded < BATCH) break;
  }
  return total;
}
