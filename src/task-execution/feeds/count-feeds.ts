import type { SignedInContext } from '../../core/context/context.ts';
import type { TypedParams } from '../../core/sql/statement.ts';
import { type Day, dayWindow } from '../../core/time/days.ts';
import {
  directCounts,
  directTotal,
  summedCounts,
  type CounterQuery,
} from './selection/feed-counts.sql.ts';
import { overlapsAnySql } from './selection/feed-filter.sql.ts';
import { NO_PRIORITY } from './selection/filter-values.ts';
import {
  resolveFeedSelection,
  type FeedSelection,
  type ResolvedSelection,
} from './selection/feed-selection.ts';
import { readFeedSettings, type FeedSettings } from './selection/feed-settings.ts';

export interface FeedCounts {
  /**
   * In ascending order; every configured priority, even with count 0, then others that occur. Feeds without a priority
   * count under 0.
   */
  priorities: { priority: number; description: string | null; count: number }[];
  /** Sum of the counts. */
  total: number;
}

/**
 * Counts by priority of the viewer's feeds that overlap the days from `startDate` to `endDate` inclusive (D-38).
 * GraphQL `viewer.feedCounts`; REST GET /task/v1/feeds/count.
 */
export async function countFeeds(
  ctx: SignedInContext,
  args: FeedSelection & { startDate: Day; endDate: Day },
): Promise<FeedCounts> {
  const { timeZone } = ctx.viewer;
  const [settings, selection] = await Promise.all([
    readFeedSettings(ctx),
    resolveFeedSelection(ctx, args),
  ]);
  const window = {
    from: dayWindow(args.startDate, timeZone).from,
    to: dayWindow(args.endDate, timeZone).to,
  };
  const conditions = (params: TypedParams): string[] => [
    ...selection.conditions(params),
    overlapsAnySql([window], params),
  ];
  const counters = (): CounterQuery | undefined => {
    const query = selection.counters();
    return query && { ...query, window };
  };
  const rows =
    args.startDate > args.endDate
      ? []
      : await count(ctx, { ...selection, conditions, counters }, settings);
  const counts = new Map(
    settings.priorities.map(({ priority, description }) => [
      priority,
      { priority, description, count: 0 },
    ]),
  );
  let total = 0;
  for (const { prioritySort, count: amount } of rows) {
    const priority = prioritySort === NO_PRIORITY ? 0 : prioritySort;
    const entry = counts.get(priority) ?? { priority, description: null, count: 0 };
    counts.set(priority, { ...entry, count: entry.count + amount });
    total += amount;
  }
  return { priorities: [...counts.values()].sort((a, b) => a.priority - b.priority), total };
}

/** Number of feeds in a list over all pages. GraphQL `FeedConnection.totalCount`. */
export async function countListedFeeds(
  ctx: SignedInContext,
  selection: FeedSelection,
): Promise<number> {
  const [settings, resolved] = await Promise.all([
    readFeedSettings(ctx),
    resolveFeedSelection(ctx, selection),
  ]);
  return countRows(ctx, resolved, settings);
}

type Counted = Pick<ResolvedSelection, 'sources' | 'lists' | 'conditions'> &
  Partial<Pick<ResolvedSelection, 'counters'>>;

/** Number of feeds in some lists under some conditions; a feed in several lists counts once. */
export async function countRows(
  ctx: SignedInContext,
  selection: Counted,
  settings: FeedSettings,
): Promise<number> {
  if (selection.sources.length === 0) return 0;
  const rows = await summed(ctx, selection);
  if (rows) return rows.reduce((sum, row) => sum + row.count, 0);
  return (await directTotal.first(ctx.reads, direct(ctx, selection, settings)))?.count ?? 0;
}

/** A priority has several counts if each list is counted separately; a feed in several lists counts once. */
async function count(
  ctx: SignedInContext,
  selection: Counted,
  settings: FeedSettings,
): Promise<{ prioritySort: number; count: number }[]> {
  if (selection.sources.length === 0) return [];
  const rows = await summed(ctx, selection);
  return rows ?? directCounts.rows(ctx.reads, direct(ctx, selection, settings));
}

/** Counts by counters; undefined if they can't evaluate a condition, or if looking at all feeds is faster. */
async function summed(
  ctx: SignedInContext,
  { lists, counters }: Counted,
): Promise<{ prioritySort: number; count: number }[] | undefined> {
  const query = counters?.();
  if (!query) return undefined;
  const counts = [];
  for (const { prioritySort, count } of await summedCounts.quickRows(ctx.reads, { lists, query })) {
    if (prioritySort === null) return undefined;
    counts.push({ prioritySort, count });
  }
  return counts;
}

/** What counts without counters are asked for. */
function direct(
  { viewer }: SignedInContext,
  { sources, lists, conditions }: Counted,
  { overdueBefore }: FeedSettings,
) {
  return { sources, lists, conditions, named: { user: viewer.userId, overdueBefore } };
}
