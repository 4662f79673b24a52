import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import type { Database } from '../../core/database/db.ts';
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import type { RowOf } from '../../core/sql/types.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { feedsAfterWrite, loadFeed } from './load-feeds.ts';
import { takeAction } from './records/feed-part-writes.sql.ts';
import { changeFeeds, lockFeed, type FeedChange } from './records/feed-writes.sql.ts';
import { allFeedLists } from './selection/feed-visibility.sql.ts';

/** What becomes of a feed. */
export interface Decision {
  change: FeedChange;
  /** Note that the viewer has acted on it. */
  takesAction?: boolean;
}

/**
 * Changes one feed that the viewer sees, and returns it as it is then. `decide` is given the locked feed; what it
 * returns is set as the viewer's action, nothing if it returns undefined. Throws NotFoundError, ConflictError when
 * `expectedVersion` is not the feed's.
 */
export async function changeFeed(
  ctx: SignedInContext,
  args: {
    feedKey: number;
    expectedVersion?: number | null | undefined;
    /** It may become another one in the counts of the feed above it. */
    changesStatus?: boolean;
  },
  decide: (feed: RowOf<typeof lockFeed.row>) => Decision | undefined,
): Promise<FeedRow> {
  const { feedKey, expectedVersion, changesStatus: withParent = false } = args;
  if (!Number.isSafeInteger(feedKey)) throw new NotFoundError('Feed');
  const after = await feedsAfterWrite(ctx);
  const { viewer } = ctx;
  const reader = { lists: allFeedLists(viewer), homeDeptIds: viewer.homeDeptIds };
  const write = (db: Database, { change, takesAction }: Decision): Promise<unknown>[] => {
    const now = new Date(ctx.clock());
    const acted = { userId: viewer.userId, feedKey, now };
    return [
      ...(takesAction ? [takeAction.rows(db, acted)] : []),
      changeFeeds.rows(db, {
        feedKeys: [feedKey],
        change: { ...change, last_action_at: now },
        now,
      }),
    ];
  };
  await inTransaction(ctx, async ({ db, atEnd }) => {
    const lock = () => lockFeed.first(db, { feedKey, reader, withParent });
    let feed = await lock();
    // Who changed it meanwhile may have taken it out of the viewer's sight.
    if (feed?.isNewer) feed = await lock();
    if (!feed) throw new NotFoundError('Feed');
    if (expectedVersion != null && expectedVersion !== feed.version)
      throw new ConflictError(feed.version);
    const decision = decide(feed);
    atEnd(async () => {
      await Promise.all([...(decision ? write(db, decision) : []), after.read(db, [feedKey])]);
    });
  });
  after.done();
  const feed = await loadFeed(ctx, feedKey);
  if (!feed) throw new NotFoundError('Feed');
  return feed;
}
