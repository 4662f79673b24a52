import type { SignedInContext } from '../../core/context/context.ts';
import type { Page, PageRequest } from '../../core/lists/pagination.ts';
import { countRows } from '../feeds/count-feeds.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import type { Calendar } from './open-calendar.ts';

/**
 * One page of the feeds of a calendar, in its order. GraphQL `CalendarFeeds.feeds`; REST `feed_details` of source_id
 * CALENDAR. Throws E901.
 */
export function listCalendarFeeds(
  ctx: SignedInContext,
  calendar: Calendar,
  args: { page: PageRequest; columns: Iterable<FeedColumn>; probe: boolean },
): Promise<Page<FeedRow>> {
  return readFeedPage(ctx, { ...calendar.rows, ...args });
}

/** How many feeds, projects or walks a calendar has over all its pages. GraphQL: `totalCount`. */
export function countCalendarItems(ctx: SignedInContext, calendar: Calendar): Promise<number> {
  return countRows(ctx, calendar.rows, calendar.rows.settings);
}
