import type { SignedInContext } from '../../core/context/context.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../core/errors.ts';
import type { Day } from '../../core/time.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { forgetFeeds, loadFeed } from '../feeds/load-feeds.ts';

export interface SuggestFeedDatesArgs {
  feedKey: number;
  /** Undefined leaves the date as it is, null clears it. */
  startDate?: Day | null | undefined;
  endDate?: Day | null | undefined;
  /** Refuse if the feed is at another version. */
  expectedVersion?: number | null | undefined;
}

/**
 * Sets or clears the suggested dates of a feed that the viewer sees (D-52). What changes nothing writes nothing. GraphQL `suggestFeedDates`; REST
 * POST /task/v1/actions/{feed-key}/suggested-date. Throws NotFoundError, ValidationError when the start would lie after the end, ConflictError.
 */
export async function suggestFeedDates(
  ctx: SignedInContext,
  args: SuggestFeedDatesArgs,
): Promise<FeedRow> {
  if (!(await loadFeed(ctx, args.feedKey))) throw new NotFoundError('Feed');
  await ctx.db.transaction(async (client) => {
    const { rows } = await client.query<{ start: Day | null; end: Day | null; version: number }>(
      'SELECT sugg_start_date AS start, sugg_end_date AS end, version FROM feed WHERE feed_key = $1 AND deleted_at IS NULL FOR UPDATE',
      [args.feedKey],
    );
    const feed = rows[0];
    if (!feed) throw new NotFoundError('Feed');
    if (args.expectedVersion != null && args.expectedVersion !== feed.version)
      throw new ConflictError(feed.version);
    const start = args.startDate === undefined ? feed.start : args.startDate;
    const end = args.endDate === undefined ? feed.end : args.endDate;
    if (start === feed.start && end === feed.end) return;
    if (start !== null && end !== null && start > end) {
      throw new ValidationError([
        {
          path: ['input', args.startDate == null ? 'endDate' : 'startDate'],
          message: `the suggested start ${start} is after the suggested end ${end}`,
          code: 'START_AFTER_END',
        },
      ]);
    }
    await client.query(
      'UPDATE feed SET sugg_start_date = $2, sugg_end_date = $3, version = version + 1, last_updated_at = $4, last_action_at = $4 WHERE feed_key = $1',
      [args.feedKey, start, end, new Date(ctx.clock())],
    );
  });
  forgetFeeds(ctx);
  const feed = await loadFeed(ctx, args.feedKey);
  if (!feed) throw new NotFoundError('Feed');
  return feed;
}
