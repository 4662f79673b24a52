import type { Services } from '../../../core/context/context.ts';

/** Rows that one transaction folds, and transactions of a turn: stopping waits for the turn to end. */
const BATCH = 10_000;
const BATCHES = 20;

/**
 * Folds what writers appended to the counters of lists into their sums, a batch a transaction, and returns how many rows. Counts are exact without it; it keeps them cheap.
 * Leaves the work to another gateway that is at it.
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
