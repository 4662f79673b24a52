import type { ImportRun } from '../../../core/records/record-kind.ts';
import type { ResolvedFeed } from './resolve-feed.ts';

/**
 * Reports feeds that a batch made their own ancestors. This can only happen to feeds that existed before: a parent
 * comes before its child.
 */
export async function refuseParentCycles(
  run: ImportRun,
  feeds: readonly ResolvedFeed[],
): Promise<void> {
  const moved = new Map(
    feeds
      .filter((feed) => !feed.isNew && typeof feed.row.parent_feed_key === 'number')
      .map((feed) => [String(feed.feedKey), feed.line]),
  );
  if (moved.size === 0) return;
  const { rows } = await run.client.query<{ start: string }>(
    `WITH RECURSIVE up AS (
       SELECT feed_key AS start, parent_feed_key AS at FROM feed WHERE feed_key = ANY ($1)
       UNION SELECT up.start, f.parent_feed_key FROM up JOIN feed f ON f.feed_key = up.at WHERE up.at <> up.start)
     SELECT DISTINCT start FROM up WHERE at = start`,
    [[...moved.keys()]],
  );
  for (const row of rows)
    run.problem(moved.get(row.start) ?? 0, 'parent_feed_key', 'makes the feed its own ancestor');
}
