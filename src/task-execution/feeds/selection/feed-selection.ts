import type { SignedInContext } from '../../../core/context/context.ts';
import { TypedParams } from '../../../core/sql/statement.ts';
import { loadSystemFilter } from './load-system-filter.ts';
import type { CounterQuery } from './feed-counts.sql.ts';
import { feedCriteria, feedFilterSql, type FeedFilter } from './feed-filter.sql.ts';
import { feedSort, type FeedOrder } from './feed-order.ts';
import {
  childSource,
  feedLists,
  isCounted,
  listSource,
  type FeedList,
  type FeedSource,
} from './feed-visibility.sql.ts';
import { weighFilter } from './weigh-filter.ts';

/** Which feeds: common to lists, counts and change streams. */
export interface FeedSelection {
  filter?: FeedFilter | null | undefined;
  /** A system filter that replaces `filter`; one that is not found matches nothing (D-35). */
  filterId?: string | null | undefined;
  /** Only tasks of "my view", whatever the filter's view and task view are: REST `list/tasks` (D-37). */
  tasksOnly?: boolean | undefined;
  /** The feeds below this one, in any view. */
  parentFeedKey?: number | undefined;
  /** Leave out feeds that ended before this instant, even with a system filter; epoch milliseconds, 0 is off (D-43). */
  endsFrom?: number | undefined;
}

/** A selection in terms of feed_listing. */
export interface ResolvedSelection {
  /** The sources may overlap: the same feed may be in several. */
  sources: FeedSource[];
  /** The lists that the sources read; empty for the feeds below another. */
  lists: FeedList[];
  /** SQL conditions over `l`; `:overdueBefore` is left to bind. */
  conditions: (params: TypedParams) => string[];
  /** The query for the counters of the lists; undefined if they can't evaluate a condition. */
  counters: () => CounterQuery | undefined;
  /** Order of the system filter. */
  sort: FeedOrder[];
}

/** Resolves a selection for the viewer. */
export async function resolveFeedSelection(
  ctx: SignedInContext,
  selection: FeedSelection,
): Promise<ResolvedSelection> {
  const { viewer } = ctx;
  let filter = selection.filter ?? {};
  let sort: FeedOrder[] = [];
  if (selection.filterId != null) {
    const stored = await loadSystemFilter(ctx, selection.filterId);
    if (!stored)
      return { sources: [], lists: [], conditions: () => [], counters: () => undefined, sort };
    filter = feedCriteria.parse(stored.criteria);
    sort = feedSort.parse(stored.sort);
  }
  const weighed = await weighFilter(ctx, filter);
  const conditionsOf = (narrowing: typeof weighed, params: TypedParams): string[] => [
    ...feedFilterSql(narrowing, viewer, params),
    ...(selection.endsFrom
      ? feedFilterSql({ cutOffTime: selection.endsFrom }, viewer, params)
      : []),
  ];
  const conditions = (params: TypedParams): string[] => conditionsOf(weighed, params);
  if (selection.parentFeedKey !== undefined)
    return {
      sources: [childSource(selection.parentFeedKey, viewer)],
      lists: [],
      conditions,
      counters: () => undefined,
      sort,
    };
  const lists = selection.tasksOnly
    ? feedLists(viewer, 'MV', 'T')
    : feedLists(viewer, filter.view ?? 'MV', filter.taskView ?? 'P');
  const counters = (): CounterQuery | undefined =>
    lists.some(isCounted) &&
    conditionsOf({ ...weighed, priorities: undefined }, new TypedParams()).length === 0
      ? { priorities: filter.priorities, homeDeptIds: viewer.homeDeptIds }
      : undefined;
  return {
    sources: lists.map((list) => listSource(list, viewer)),
    lists,
    conditions,
    counters,
    sort,
  };
}
