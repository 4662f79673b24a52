import type { SignedInContext } from '../../core/context/context.ts';
import type { Page, PageRequest } from '../../core/lists/pagination.ts';
import type { FeedColumn } from './fields/feed-columns.sql.ts';
import { feedListOrder, type FeedOrder } from './selection/feed-order.ts';
import { resolveFeedSelection, type FeedSelection } from './selection/feed-selection.ts';
import { readFeedSettings } from './selection/feed-settings.ts';
import type { FeedRow } from './fields/feed-row.ts';
import { readFeedPage } from './read-feed-page.ts';

export interface ListFeedsArgs extends FeedSelection {
  orderBy?: readonly FeedOrder[] | null | undefined;
  page: PageRequest;
  columns: Iterable<FeedColumn>;
  /**
   * Also find out whether there are rows on the other side of the page, against the paging direction; costs a look-up.
   */
  probe: boolean;
}

/**
 * One page of the viewer's work items. GraphQL `viewer.feeds`, `viewer.tasks`, `Feed.tasks`; REST GET
 * /task/v1/feeds/list and list/tasks. `lastFetchTime` is the server time before the read, in epoch milliseconds (minus
 * the possible lag of a replica). Throws E901 for a cursor of another order.
 */
export async function listFeeds(
  ctx: SignedInContext,
  args: ListFeedsArgs,
): Promise<Page<FeedRow> & { lastFetchTime: number }> {
  const lastFetchTime = ctx.clock() - ctx.reads.behindMs;
  const [settings, { sources, conditions, sort }] = await Promise.all([
    readFeedSettings(ctx),
    resolveFeedSelection(ctx, args),
  ]);
  const order = feedListOrder(args.orderBy?.length ? args.orderBy : sort, settings);
  const { page, columns, probe } = args;
  const query = { sources, conditions, order, page, columns, probe, settings };
  return { lastFetchTime, ...(await readFeedPage(ctx, query)) };
}
