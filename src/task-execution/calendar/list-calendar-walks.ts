import type { SignedInContext } from '../../core/context/context.ts';
import type { Day } from '../../core/time/days.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import { MAX_ITEMS, type Calendar } from './open-calendar.ts';
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

/** The walks of a calendar, by date. GraphQL `CalendarWalks.walks`; REST `project_data` of source_id STORE_WALK_CAL. */
export async function listCalendarWalks(
  ctx: SignedInContext,
  calendar: Calendar,
): Promise<{ walks: CalendarWalk[]; truncated: boolean }> {
  const columns = [
    'feed_title',
    'feed_type_id',
    'assigned_to',
    'start_date_time',
    'end_date_time',
  ] as const;
  const page = await readFeedPage(ctx, {
    ...calendar.rows,
    columns,
    page: { limit: MAX_ITEMS, backward: false },
    probe: false,
  });
  const walks = page.rows.map((row) => ({
    projectId: row.feedKey,
    projectTitle: textOf(row, 'feed_title') ?? '',
    projectType: textOf(row, 'feed_type_id'),
    assignedTo: textOf(row, 'assigned_to'),
    startDate: dayOf(row, 'start_date_time'),
    endDate: dayOf(row, 'end_date_time'),
  }));
  return { walks, truncated: page.hasNextPage };
}
