import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context.ts';
import type { Params } from '../../core/pagination.ts';
import { loadSystemFilter } from '../configuration/load-system-filter.ts';
import { feedCriteria, feedSort } from './feed-criteria.ts';
import { feedFilterSql, type FeedFilter } from './feed-filter.ts';
import type { FeedOrder } from './feed-order.ts';
import { childSource, feedLists, listSource, type FeedList, type FeedSource } from './feed-visibility.ts';

/** Which feeds: what lists, counts and change streams have in common. */
export interface FeedSelection {
  filter?: FeedFilter | null | undefined;
  /** A system filter that replaces `filter`; one that does not resolve matches nothing (D-35). */
  filterId?: string | null | undefined;
  /** The tasks under my view, whatever the filter's view and rows say: REST `list/tasks` (D-37). */
  tasksOnly?: boolean | undefined;
  /** The feeds below this one, in any view. */
  parentFeedKey?: number | undefined;
  /** Leave out feeds that ended before this instant, also with a system filter; epoch milliseconds, 0 is off (D-43). */
  endsFrom?: number | undefined;
}

/** A selection in terms of feed_listing. */
export interface ResolvedSelection {
  /** The same feed may be in several. */
  sources: FeedSource[];
  /** The lists that the sources read; empty for the feeds below another. */
  lists: FeedList[];
  /** Over `l`; `:overdueBefore` is left to bind. */
  conditions: (params: Params) => string[];
  /** Order that the system filter brings. */
  sort: FeedOrder[];
}

/** Resolves a selection for the viewer. */
export async function resolveFeedSelection(ctx: Context, selection: FeedSelection): Promise<ResolvedSelection> {
  const viewer = requireViewer(ctx);
  let filter = selection.filter ?? {};
  let sort: FeedOrder[] = [];
  if (selection.filterId) {
    const stored = await loadSystemFilter(ctx, selection.filterId);
    if (!stored) return { sources: [], lists: [], conditions: () => [], sort };
    filter = feedCriteria.parse(stored.criteria);
    sort = feedSort.parse(stored.sort);
  }
  const conditions = (params: Params): string[] => [...feedFilterSql(filter, viewer, params), ...(selection.endsFrom ? feedFilterSql({ cutOffTime: selection.endsFrom }, viewer, params) : [])];
  if (selection.parentFeedKey !== undefined) return { sources: [childSource(selection.parentFeedKey, viewer)], lists: [], conditions, sort };
  const lists = selection.tasksOnly ? feedLists(viewer, 'MV', 'T') : feedLists(viewer, filter.view ?? 'MV', filter.taskView ?? 'P');
  return { sources: lists.map((list) => listSource(list, viewer)), lists, conditions, sort };
}
