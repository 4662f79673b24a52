import type { SignedInContext } from '../../core/context/context.ts';
import type { Day } from '../../core/time/days.ts';
import { datesSql, partsOf, windowOf } from '../calendar/calendar-window.sql.ts';
import { byDate, MAX_ITEMS } from '../calendar/open-calendar.ts';
import { feedListOrder } from '../feeds/selection/feed-order.ts';
import { readFeedSettings } from '../feeds/selection/feed-settings.ts';
import { listSource } from '../feeds/selection/feed-visibility.sql.ts';
import { readFeedPage } from '../feeds/read-feed-page.ts';
import { leadershipConditions } from './leadership-calendar.sql.ts';
import { type LeadershipFilter, leadershipLists } from './leadership-filter.ts';
import { type CalendarNote, listNotes, type MonthlyNote } from './list-notes.ts';
import { type LeadershipArgs, periodOf } from './leadership-period.ts';
import { type LeadershipLegend, type LeadershipProject, toProject } from './leadership-project.ts';

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
 * /service/execute/getLeadershipCalendarData. Throws E145.
 */
export async function readLeadershipCalendar(
  ctx: SignedInContext,
  args: LeadershipArgs,
): Promise<LeadershipCalendar> {
  const { leadershipLegend, leadershipCategory } = ctx.db.prisma;
  const { domainId } = ctx.viewer;
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
  const page = await readProjects(ctx, period, args.filter ?? {});
  const legendById = new Map(legends.map((legend) => [legend.id, legend]));
  return {
    // Rows without a start come last, but start where they end.
    projects: page.rows
      .map((row) => toProject(row, legendById))
      .sort((a, b) => Number(a.startDate) - Number(b.startDate)),
    categories,
    legends,
    ...notes,
    truncated: page.hasNextPage,
  };
}

async function readProjects(
  ctx: SignedInContext,
  period: { from: Day; to: Day },
  filter: LeadershipFilter,
): ReturnType<typeof readFeedPage> {
  const { viewer } = ctx;
  const settings = await readFeedSettings(ctx);
  const window = windowOf(period, viewer);
  const order = feedListOrder(byDate, settings);
  return readFeedPage(ctx, {
    sources: leadershipLists(viewer, filter).map((list) => listSource(list, viewer)),
    conditions: (params) => [
      ...leadershipConditions(filter, viewer, params),
      ...datesSql(window, params),
    ],
    order,
    parts: partsOf(order, window),
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
