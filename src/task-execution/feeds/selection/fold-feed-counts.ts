import type { Services } from '../../../core/context/context.ts';
import { foldCounts } from './feed-counts.sql.ts';

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
    const { folded = 0 } = (await foldCounts.first(db, { batch: BATCH })) ?? {};
    total += folded;
    if (folded < BATCH) break;
  }
  return total;
}
