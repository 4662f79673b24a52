import type { SignedInContext } from '../../core/context/context.ts';
import type { Page } from '../../core/lists/pagination.ts';
import type { Day } from '../../core/time/days.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import { itemsOf, type ItemsArgs } from './calendar-items.ts';
import type { Calendar } from './open-calendar.ts';
import { dayOf, textOf } from './row-values.ts';

/** A store walk in the walk calendar. */
export interface CalendarWalk {
  projectId: number;
  projectTitle: string;
  projectType: string | null;
  /** Names of people, or else of departments, or else of units. */
  assignedTo: string | null;
  startDate: Day | null;
  endDate: Day | null;
}

const columns = [
  'feed_title',
  'feed_type_id',
  'assigned_to',
  'start_date_time',
  'end_date_time',
] as const satisfies readonly FeedColumn[];

/**
 * A page of the walks of a calendar, by date. GraphQL `CalendarWalks.walks`, which has all, and `walksConnection`; REST
 * `project_data` of source_id STORE_WALK_CAL. Throws E901.
 */
export async function listCalendarWalks(
  ctx: SignedInContext,
  calendar: Calendar,
  args: ItemsArgs,
): Promise<Page<CalendarWalk>> {
  const page = await readFeedPage(ctx, { ...calendar.rows, columns, ...args });
  return itemsOf(page, (row) => ({
    projectId: row.feedKey,
    projectTitle: textOf(row, 'feed_title') ?? '',
    projectType: textOf(row, 'feed_type_id'),
    assignedTo: textOf(row, 'assigned_to'),
    startDate: dayOf(row, 'start_date_time'),
    endDate: dayOf(row, 'end_date_time'),
  }));
}
