import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { addDays, countDays, type Day } from '../../core/time.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { datesSql, windowOf } from '../calendar/calendar-filter.sql.ts';
import { MAX_ITEMS } from '../calendar/open-calendar.ts';
import { dayOf, numberOf, textOf } from '../calendar/row-values.ts';
import { feedListOrder } from '../feeds/selection/feed-order.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { readFeedSettings } from '../feeds/selection/feed-settings.ts';
import { listSource } from '../feeds/selection/feed-visibility.sql.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import { leadershipConditions } from './leadership-calendar.sql.ts';
import { leadershipLists, type LeadershipFilter } from './leadership-filter.ts';
import { listNotes, type CalendarNote, type MonthlyNote } from './list-notes.ts';

export interface LeadershipArgs {
  /** M: the month; A: the whole year. */
  type: 'M' | 'A';
  /** 1 to 12; validated but not used with A (D-45). */
  month: number;
  year: number;
  filter?: LeadershipFilter | null | undefined;
}

export interface LeadershipProject {
  projectId: number;
  projectTitle: string;
  projectType: string | null;
  /** In the session's zone. */
  startDate: Day;
  endDate: Day;
  /** Days from start to end, both included; not clipped to the period (D-46). */
  span: number;
  priority: number | null;
  legend: LeadershipLegend | null;
}

export interface LeadershipLegend {
  id: number;
  name: string;
  color: string;
}

export interface LeadershipCalendar {
  projects: LeadershipProject[];
  categories: { id: number; name: string }[];
  legends: LeadershipLegend[];
  notes: CalendarNote[];
  monthlyNotes: MonthlyNote[];
  /** There are more projects than were returned. */
  truncated: boolean;
}

/**
 * The leadership calendar of a month or a year: projects that overlap it, with categories, legends and the viewer's
 * notes. GraphQL `viewer.leadershipCalendar`; REST GET /task/v1/calendar/leadership and POST
 * /service/execute/getLeadershipCalendarData. Throws E145, E146.
 */
export async function readLeadershipCalendar(
  ctx: SignedInContext,
  args: LeadershipArgs,
): Promise<LeadershipCalendar> {
  const { viewer } = ctx;
  const { leadershipLegend, leadershipCategory } = ctx.db.prisma;
  const { domainId } = viewer;
  const period = periodOf(args);
  const [legends, categories, notes] = await Promise.all([
    leadershipLegend.findMany({
      where: { domainId },
      orderBy: [{ legendTypeId: 'asc' }, { id: 'asc' }],
      select: { id: true, name: true, color: true },
    }),
    leadershipCategory.findMany({
      where: { domainId },
      orderBy: [{ position: 'asc' }, { id: 'asc' }],
      select: { id: true, name: true },
    }),
    listNotes(ctx, period),
  ]);
  const page = await readProjects(ctx, viewer, period, args.filter ?? {});
  return {
    projects: page.rows.map((row) => toProject(row, legends)),
    categories,
    legends,
    ...notes,
    truncated: page.hasNextPage,
  };
}

/** First and last day of the period. */
function periodOf({ type, month, year }: LeadershipArgs): { from: Day; to: Day } {
  if (!Number.isInteger(month) || month < 1 || month > 12) throw new AppError('E145');
  if (!Number.isInteger(year) || year < 1 || year > 9999) throw new AppError('E146');
  const years = String(year).padStart(4, '0');
  if (type === 'A') return { from: `${years}0101`, to: `${years}1231` };
  const from = `${years}${String(month).padStart(2, '0')}01`;
  return {
    from,
    to:
      month === 12
        ? `${years}1231`
        : addDays(`${years}${String(month + 1).padStart(2, '0')}01`, -1),
  };
}

async function readProjects(
  ctx: SignedInContext,
  viewer: Viewer,
  period: { from: Day; to: Day },
  filter: LeadershipFilter,
): ReturnType<typeof readFeedPage> {
  const settings = await readFeedSettings(ctx);
  return readFeedPage(ctx, {
    sources: leadershipLists(viewer, filter).map((list) => listSource(list, viewer)),
    conditions: (params) => [
      ...leadershipConditions(filter, viewer, params),
      ...datesSql(windowOf(period, viewer), params),
    ],
    order: feedListOrder(
      [
        { field: 'START_DATE_TIME', direction: 'ASC' },
        { field: 'END_DATE_TIME', direction: 'ASC' },
      ],
      settings,
    ),
    page: { limit: MAX_ITEMS, backward: false },
    columns: [
      'feed_title',
      'feed_type_id',
      'start_date_time',
      'end_date_time',
      'priority',
      'legend_id',
    ],
    probe: false,
    settings,
  });
}

function toProject(row: FeedRow, legends: readonly LeadershipLegend[]): LeadershipProject {
  const days = [dayOf(row, 'start_date_time'), dayOf(row, 'end_date_time')]
    .flatMap((day) => day ?? [])
    .sort();
  const [startDate = '', endDate = startDate] = days;
  const legendId = numberOf(row, 'legend_id');
  return {
    projectId: row.feedKey,
    projectTitle: textOf(row, 'feed_title') ?? '',
    projectType: textOf(row, 'feed_type_id'),
    startDate,
    endDate,
    span: countDays(startDate, endDate),
    priority: numberOf(row, 'priority'),
    legend: legends.find((legend) => legend.id === legendId) ?? null,
  };
}
