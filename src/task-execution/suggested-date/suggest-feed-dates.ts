import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../core/errors.ts';
import type { Day } from '../../core/time.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { forgetFeeds, loadFeed } from '../feeds/load-feeds.ts';
import { lockFeed } from './lock-feed.sql.ts';

export interface SuggestFeedDatesArgs {
  feedKey: number;
  /** Undefined leaves the date unchanged, null clears it. */
  startDate?: Day | null | undefined;
  endDate?: Day | null | undefined;
  /** Fails if the feed has another version. */
  expectedVersion?: number | null | undefined;
}

/**
 * Sets or clears the suggested dates of a feed that the viewer sees (D-52). Writes nothing if nothing changes. GraphQL
 * `suggestFeedDates`; REST POST /task/v1/actions/{feed-key}/suggested-date. Throws NotFoundError, ValidationError when
 * the start would be after the end, ConflictError.
 */
export async function suggestFeedDates(
  ctx: SignedInContext,
  args: SuggestFeedDatesArgs,
): Promise<FeedRow> {
  if (!(await loadFeed(ctx, args.feedKey))) throw new NotFoundError('Feed');
  await inTransaction(ctx, async ({ db }) => {
    const feed = await lockFeed.first(db, { feedKey: args.feedKey });
    if (!feed) throw new NotFoundError('Feed');
    if (args.expectedVersion != null && args.expectedVersion !== feed.version)
      throw new ConflictError(feed.version);
    const start = args.startDate === undefined ? feed.suggStartDate : args.startDate;
    const end = args.endDate === undefined ? feed.suggEndDate : args.endDate;
    if (start === feed.suggStartDate && end === feed.suggEndDate) return;
    if (start !== null && end !== null && start > end) {
      throw new ValidationError([
        {
          path: ['input', args.startDate == null ? 'endDate' : 'startDate'],
          message: `the suggested start ${start} is after the suggested end ${end}`,
          code: 'START_AFTER_END',
        },
      ]);
    }
    const now = new Date(ctx.clock());
    await db.prisma.feed.update({
      where: { feedKey: args.feedKey },
      data: {
        suggStartDate: start,
        suggEndDate: end,
        version: { increment: 1 },
        lastUpdatedAt: now,
        lastActionAt: now,
      },
      select: { feedKey: true },
    });
  });
  forgetFeeds(ctx);
  const feed = await loadFeed(ctx, args.feedKey);
  if (!feed) throw new NotFoundError('Feed');
  return feed;
}
