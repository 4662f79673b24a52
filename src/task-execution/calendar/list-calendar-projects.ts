import type { SignedInContext } from '../../core/context/context.ts';
import type { Page } from '../../core/lists/pagination.ts';
import type { Day } from '../../core/time/days.ts';
import { listConfiguration } from '../configuration/list-configuration.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import { itemsOf, type ItemsArgs } from './calendar-items.ts';
import type { Calendar } from './open-calendar.ts';
import { dayOf, numberOf, textOf } from './row-values.ts';

/** A project in one of the two project calendars. */
export interface CalendarProject {
  projectId: number;
  projectTitle: string;
  projectType: string | null;
  /** Name of the project's type: its own, or else as configured. */
  projectTypeDesc: string | null;
  icon: string | null;
  /** In the session's zone; the suggested dates in STORE_SUGGESTED_DATE_PROJECTS. */
  startDate: Day | null;
  endDate: Day | null;
  priority: number | null;
  isOverdue: boolean;
  isCompleted: boolean;
  isConfidential: boolean;
  isEdited: boolean;
  hasSurvey: boolean;
  hasAttachment: boolean;
  assignedRole: string | null;
}

const columns = [
  'feed_title',
  'feed_type_id',
  'feed_type_id_desc',
  'icon',
  'start_date_time',
  'end_date_time',
  'suggested_start_date',
  'suggested_end_date',
  'priority',
  'status',
  'is_confidential',
  'is_edited',
  'has_survey',
  'has_attachment',
  'assigned_role',
] as const satisfies readonly FeedColumn[];

/**
 * A page of the projects of a calendar. GraphQL `CalendarProjects.projects`, which has all, and `projectsConnection`;
 * REST `project_data` of the two project sources. Throws E901.
 */
export async function listCalendarProjects(
  ctx: SignedInContext,
  calendar: Calendar,
  args: ItemsArgs,
): Promise<Page<CalendarProject>> {
  const [page, { values }] = await Promise.all([
    readFeedPage(ctx, { ...calendar.rows, columns, ...args }),
    listConfiguration(ctx, { types: ['FEED'] }),
  ]);
  const typeNames = new Map(Object.entries(values.project_type_data ?? {}));
  const suggested = calendar.source === 'STORE_SUGGESTED_DATE_PROJECTS';
  return itemsOf(page, (row) => toProject(row, suggested, typeNames));
}

function toProject(
  row: FeedRow,
  suggested: boolean,
  typeNames: ReadonlyMap<string, string>,
): CalendarProject {
  const type = textOf(row, 'feed_type_id');
  const own = { start: dayOf(row, 'start_date_time'), end: dayOf(row, 'end_date_time') };
  const span = suggested
    ? suggestedSpan(own, {
        start: dayOf(row, 'suggested_start_date'),
        end: dayOf(row, 'suggested_end_date'),
      })
    : own;
  const status = row.get('status');
  return {
    projectId: row.feedKey,
    projectTitle: textOf(row, 'feed_title') ?? '',
    projectType: type,
    projectTypeDesc: textOf(row, 'feed_type_id_desc') ?? typeNames.get(type ?? '') ?? null,
    icon: textOf(row, 'icon'),
    startDate: span.start,
    endDate: span.end,
    priority: numberOf(row, 'priority'),
    isOverdue: status === 'O',
    isCompleted: status === 'C',
    isConfidential: row.get('is_confidential') === true,
    isEdited: row.get('is_edited') === true,
    hasSurvey: row.get('has_survey') === true,
    hasAttachment: row.get('has_attachment') === true,
    assignedRole: textOf(row, 'assigned_role'),
  };
}

interface Span {
  start: Day | null;
  end: Day | null;
}

/** The suggested dates. If one is missing it is the project's own, unless the end would then lie before the start. */
function suggestedSpan(own: Span, suggested: Span): Span {
  const ownStart = own.start ?? own.end;
  const ownEnd = own.end ?? own.start;
  const start =
    suggested.start ??
    (ownStart !== null && suggested.end !== null && ownStart <= suggested.end
      ? ownStart
      : suggested.end);
  const end =
    suggested.end ??
    (ownEnd !== null && suggested.start !== null && ownEnd >= suggested.start
      ? ownEnd
      : suggested.start);
  return { start, end };
}
