import type { Day } from '../../core/time/days.ts';
import type { FeedView } from '../../core/context/viewer.ts';
import type { FeedStatus } from '../terms/feed-status.ts';

/** REST: source_id. */
export const calendarSources = [
  'CALENDAR',
  'STORE_PROJECTS',
  'STORE_SUGGESTED_DATE_PROJECTS',
  'STORE_WALK_CAL',
] as const;
export type CalendarSource = (typeof calendarSources)[number];

/** REST: cal_layout, layout. Month, week, day, pinboard. */
export const calendarLayouts = ['M', 'W', 'D', 'P'] as const;
export type CalendarLayout = (typeof calendarLayouts)[number];

/** REST: local_projects. */
export type LocalProjects = 'Y' | 'N' | 'A';

/** Filter of a calendar. Absent or null: no restriction; an empty list matches nothing (P3). */
export interface CalendarFilter {
  statuses?: readonly FeedStatus[] | null | undefined;
  priorities?: readonly number[] | null | undefined;
  messageTypes?: readonly string[] | null | undefined;
  feedTypeIds?: readonly string[] | null | undefined;
  /** Substring, case-insensitive. */
  feedTitle?: string | null | undefined;
  /** True restricts to favorites; anything else does not (D-07). */
  favorite?: boolean | null | undefined;
  tags?: readonly string[] | null | undefined;
  /** Days outside the range are dropped (D-23). */
  weekDates?: readonly Day[] | null | undefined;
  /** Departments whose confidential items to include; only home departments of the viewer have any effect (D-30). */
  homeDeptIds?: readonly number[] | null | undefined;
  /** SV is the viewer's unit; any other value, the session's current view. */
  view?: FeedView | null | undefined;
  /** Only for the two project sources; N by default (D-31). */
  localProjects?: LocalProjects | null | undefined;
  /** Only for STORE_PROJECTS. */
  activeOnly?: boolean | null | undefined;
  execLevel?: string | null | undefined;
  unitIds?: readonly number[] | null | undefined;
  orgLevel?: string | null | undefined;
  requestorLevel?: string | null | undefined;
  /** Only for CALENDAR, in epoch milliseconds: feeds that ended before are left out; 0 is off (D-26). */
  cutOffTime?: number | null | undefined;
}

/** The source and days of a calendar. */
export interface CalendarRange {
  source: CalendarSource;
  from: Day;
  to: Day;
  layout: CalendarLayout;
}
