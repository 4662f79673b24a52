import type { SignedInContext } from '../../core/context/context.ts';
import { ValidationError } from '../../core/errors.ts';
import { isoDay, type Day } from '../../core/time/days.ts';
import { changeFeed } from '../feeds/change-feed.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';

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
  return changeFeed(ctx, args, (feed) => {
    const start = args.startDate === undefined ? feed.suggStartDate : args.startDate;
    const end = args.endDate === undefined ? feed.suggEndDate : args.endDate;
    if (start === feed.suggStartDate && end === feed.suggEndDate) return undefined;
    if (start !== null && end !== null && start > end) {
      throw new ValidationError([
        {
          path: ['input', args.startDate == null ? 'endDate' : 'startDate'],
          message: `the suggested start ${start} is after the suggested end ${end}`,
          inGraphQL: `the suggested start ${isoDay(start)} is after the suggested end ${isoDay(end)}`,
          code: 'START_AFTER_END',
        },
      ]);
    }
    return { change: { sugg_start_date: start, sugg_end_date: end } };
  });
}
