import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { uncached } from '../../core/lists/load-by-id.ts';
import type { Page, PageRequest } from '../../core/lists/pagination.ts';
import type { Row } from '../../core/wire/wire.ts';
import { wallClock } from '../../core/time/wall-clock.ts';
import { childCounts, childPages } from './feed-pages.sql.ts';
import type { FeedColumn } from './fields/feed-columns.sql.ts';
import { feedListOrder } from './selection/feed-order.ts';
import { feedLayout, type FeedLayout, type FeedRow } from './fields/feed-row.ts';
import { readFeedSettings } from './selection/feed-settings.ts';
import { listFeeds } from './list-feeds.ts';
import { toPage } from './read-feed-page.ts';

export interface ListChildFeedsArgs {
  parentFeedKey: number;
  page: PageRequest;
  columns: Iterable<FeedColumn>;
  /** See listFeeds. */
  probe: boolean;
}

/** Loaders of one request, by what they read. */
const pageLoaders = perRequest(() => new Map<string, DataLoader<number, ChildPage>>());

type ChildPage = Page<FeedRow> & { lastFetchTime: number };

/**
 * One page of the tasks below a feed that the viewer may see. The first (or last) pages for all feeds of a list are
 * read in one statement. GraphQL `Feed.tasks`.
 */
export async function listChildFeeds(
  ctx: SignedInContext,
  args: ListChildFeedsArgs,
): Promise<ChildPage> {
  const { parentFeedKey, page } = args;
  if (page.cursor !== undefined) return listFeeds(ctx, args);
  const layout = feedLayout(args.columns);
  const loaders = pageLoaders(ctx);
  const kind = `${page.limit} ${page.backward} ${[...layout.columns.keys()].join()}`;
  let loader = loaders.get(kind);
  if (!loader)
    loaders.set(
      kind,
      (loader = new DataLoader((parents) => readPages(ctx, parents, page, layout), uncached)),
    );
  return loader.load(parentFeedKey);
}

async function readPages(
  ctx: SignedInContext,
  parents: readonly number[],
  page: PageRequest,
  layout: FeedLayout,
): Promise<ChildPage[]> {
  const { viewer } = ctx;
  const lastFetchTime = ctx.clock() - ctx.reads.behindMs;
  const settings = await readFeedSettings(ctx);
  const order = feedListOrder(undefined, settings);
  const rows = await childPages.read(ctx.reads, {
    parents: [...new Set(parents)],
    layout,
    order,
    page,
    viewer,
    named: { user: viewer.userId, overdueBefore: settings.overdueBefore },
  });
  const below = new Map<number, Row[]>();
  for (const row of rows) {
    const parent = Number(row.cells.at(-1));
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  return parents.map((parent) => ({
    ...toPage(below.get(parent) ?? [], { order, page, layout, reading, behind: false }),
    lastFetchTime,
  }));
}

const countLoader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, number>((parents) => readCounts(ctx, parents), uncached),
);

/** Number of tasks below a feed that the viewer may see; for all feeds of a list they are counted in one statement. */
export function countChildFeeds(ctx: SignedInContext, parentFeedKey: number): Promise<number> {
  return countLoader(ctx).load(parentFeedKey);
}

async function readCounts(ctx: SignedInContext, parents: readonly number[]): Promise<number[]> {
  const which = { parents: [...new Set(parents)], viewer: ctx.viewer };
  const rows = await childCounts.quickRows(ctx.reads, which);
  const counts = new Map(rows.map(({ parent, count }) => [parent, count]));
  return parents.map((parent) => counts.get(parent) ?? 0);
}
