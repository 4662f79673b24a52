import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import type { RowOf } from '../../core/sql/types.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { forgetFeeds, loadFeed } from './load-feeds.ts';
import { changeFeeds, lockFeed, type FeedChange } from './records/feed-writes.sql.ts';

/**
 * Changes one feed that the viewer sees, and returns it as it is then. `decide` is given the locked feed; what it
 * returns is set as the viewer's action, nothing if it returns undefined. Throws NotFoundError, ConflictError when
 * `expectedVersion` is not the feed's.
 */
export async function changeFeed(
  ctx: SignedInContext,
  args: { feedKey: number; expectedVersion?: number | null | undefined },
  decide: (
    feed: RowOf<typeof lockFeed.row>,
    tx: { db: Database; now: Date },
  ) => Promise<FeedChange | undefined> | FeedChange | undefined,
): Promise<FeedRow> {
  const { feedKey, expectedVersion } = args;
  if (!(await loadFeed(ctx, feedKey))) throw new NotFoundError('Feed');
  await inTransaction(ctx, async ({ db }) => {
    const feed = await lockFeed.first(db, { feedKey });
    if (!feed) throw new NotFoundError('Feed');
    if (expectedVersion != null && expectedVersion !== feed.version)
      throw new ConflictError(feed.version);
    const now = new Date(ctx.clock());
    const change = await decide(feed, { db, now });
    if (change)
      await changeFeeds.rows(db, {
        feedKeys: [feedKey],
        change: { ...change, last_action_at: now },
        now,
      });
  });
  forgetFeeds(ctx);
  const feed = await loadFeed(ctx, feedKey);
  if (!feed) throw new NotFoundError('Feed');
  return feed;
}
