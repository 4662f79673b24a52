import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import { int8s } from '../../core/sql/types.ts';
import { wallClock } from '../../core/time.ts';
import { feedDetails, type FeedColumn } from './fields/feed-columns.ts';
import { feedFields } from './fields/feed-fields.ts';
import { bindNamed, feedLayout, FeedRow } from './fields/feed-row.ts';
import { readFeedSettings } from './selection/feed-settings.ts';
import { visibleFeedSql } from './selection/feed-visibility.ts';

const detailed = { ...feedFields, ...feedDetails };
const everyColumn = Object.keys(detailed).filter((name): name is FeedColumn => name in detailed);

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, FeedRow | null>((keys) => readFeeds(ctx, keys), { maxBatchSize: 500 }),
);

/**
 * The feed with this key and all its columns, or null if it does not exist or the viewer may not see it. GraphQL
 * `feed`, `node`, `Feed.parent`.
 */
export async function loadFeed(ctx: SignedInContext, feedKey: number): Promise<FeedRow | null> {
  return Number.isSafeInteger(feedKey) && feedKey > 0 ? loader(ctx).load(feedKey) : null;
}

/** Forgets feeds that were read before a write in this request. */
export function forgetFeeds(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}

async function readFeeds(
  ctx: SignedInContext,
  keys: readonly number[],
): Promise<(FeedRow | null)[]> {
  const { viewer } = ctx;
  const { overdueBefore } = await readFeedSettings(ctx);
  const layout = feedLayout(everyColumn);
  const params = new TypedParams();
  const wanted = params.add(int8s, keys);
  const sql = `SELECT ${layout.sql} FROM feed f LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = f.feed_key
    WHERE f.feed_key = ANY (${wanted}::bigint[]) AND ${visibleFeedSql('f.feed_key', viewer, params)}`;
  const rows = await ctx.db.read(
    bindNamed(sql, { user: viewer.userId, overdueBefore }, params),
    params.values,
  );
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  const found = new Map(
    rows.map((row) => [Number(row.cells[0]), new FeedRow(row, layout, reading)]),
  );
  return keys.map((key) => found.get(key) ?? null);
}
