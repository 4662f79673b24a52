import type { SignedInContext } from '../../core/context/context.ts';
import { allItems, type AllItems } from './calendar-items.ts';
import { listCalendarProjects, type CalendarProject } from './list-calendar-projects.ts';
import { listCalendarWalks, type CalendarWalk } from './list-calendar-walks.ts';
import { openCalendar, type Calendar, type CalendarArgs } from './open-calendar.ts';

/** A calendar; its feeds, projects or walks are read by those who ask for them. */
export type CalendarResult =
  | (Calendar & { source: 'CALENDAR' })
  | (Calendar & {
      source: 'STORE_PROJECTS' | 'STORE_SUGGESTED_DATE_PROJECTS';
      all: () => Promise<AllItems<CalendarProject>>;
    })
  | (Calendar & { source: 'STORE_WALK_CAL'; all: () => Promise<AllItems<CalendarWalk>> });

/**
 * The viewer's calendar of the days from `from` to `to` in the session's time zone. GraphQL `viewer.calendar`; REST GET
 * /task/v1/calendar and POST /service/rtm/getCalendarData. Throws E147 when `from` is after `to`, E900 for a range
 * beyond 1,096 days.
 */
export async function readCalendar(
  ctx: SignedInContext,
  args: CalendarArgs,
): Promise<CalendarResult> {
  const calendar = await openCalendar(ctx, args);
  switch (calendar.source) {
    case 'CALENDAR':
      return { ...calendar, source: calendar.source };
    case 'STORE_PROJECTS':
    case 'STORE_SUGGESTED_DATE_PROJECTS':
      return {
        ...calendar,
        source: calendar.source,
        all: allItems((page) => listCalendarProjects(ctx, calendar, page)),
      };
    case 'STORE_WALK_CAL':
      return {
        ...calendar,
        source: calendar.source,
        all: allItems((page) => listCalendarWalks(ctx, calendar, page)),
      };
  }
}
