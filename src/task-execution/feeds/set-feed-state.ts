import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { invalidField } from '../../core/errors.ts';
import { feedsAfterWrite, forgetFeeds } from './load-feeds.ts';
import { setFlags } from './records/feed-part-writes.sql.ts';
import { allFeedLists } from './selection/feed-visibility.sql.ts';

/** The flags of a user on a feed that the user may set; undefined leaves a flag unchanged. */
export interface FeedStateChange {
  pinned?: boolean | undefined;
  favorite?: boolean | undefined;
  follow?: boolean | undefined;
  acknowledged?: boolean | undefined;
  watched?: boolean | undefined;
  promotedToNote?: boolean | undefined;
}

/** Most feeds in one call. */
const MAX_FEEDS = 100;

/**
 * Sets flags of the viewer on feeds; repeating a call changes nothing (D-53). Returns the keys of the feeds that the
 * viewer sees, on which flags were set; the others are "not found". With `thenReads`, loadFeed knows the feeds as they
 * are then. A key is undefined where an id names no feed: it counts, too. GraphQL `setFeedState`. Throws ValidationError
 * for more than 100 feeds or none.
 */
export async function setFeedState(
  ctx: SignedInContext,
  args: { feedKeys: readonly (number | undefined)[]; change: FeedStateChange; thenReads: boolean },
): Promise<ReadonlySet<number>> {
  const { viewer } = ctx;
  if (args.feedKeys.length < 1 || args.feedKeys.length > MAX_FEEDS)
    throw invalidField('feedIds', `must name 1 to ${MAX_FEEDS} feeds`, 'OUT_OF_RANGE');
  const { promotedToNote, ...flags } = args.change;
  const feedKeys = [...new Set(args.feedKeys)].filter((key) => key !== undefined);
  const after = args.thenReads ? await feedsAfterWrite(ctx) : undefined;
  const set = new Set<number>();
  await inTransaction(ctx, ({ db, atEnd }) => {
    atEnd(async () => {
      const [rows] = await Promise.all([
        setFlags.rows(db, {
          reader: { lists: allFeedLists(viewer), homeDeptIds: viewer.homeDeptIds },
          userId: viewer.userId,
          feedKeys,
          values: { ...flags, promoted_to_note: promotedToNote },
          now: new Date(ctx.clock()),
        }),
        after?.read(db, feedKeys),
      ]);
      for (const { feedKey } of rows) set.add(feedKey);
    });
    return Promise.resolve();
  });
  if (after) after.done();
  else forgetFeeds(ctx);
  return set;
}
