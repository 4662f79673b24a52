import type { SignedInContext } from '../../core/context/context.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import { int8s } from '../../core/sql/types.ts';
import { wallClock } from '../../core/time.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.ts';
import { bindNamed, feedLayout, FeedRow } from '../feeds/fields/feed-row.ts';
import type { ResolvedSelection } from '../feeds/selection/feed-selection.ts';
import { readFeedSettings } from '../feeds/selection/feed-settings.ts';

/**
 * Those feeds among the keys that the selection contains now, by key: uses the same sources and conditions as a list.
 */
export async function loadChangedFeeds(
  ctx: SignedInContext,
  selection: ResolvedSelection,
  keys: readonly number[],
  columns: Iterable<FeedColumn>,
): Promise<Map<number, FeedRow>> {
  const { viewer } = ctx;
  if (keys.length === 0 || selection.sources.length === 0) return new Map();
  const { overdueBefore } = await readFeedSettings(ctx);
  const layout = feedLayout(columns);
  const params = new TypedParams();
  const wanted = params.add(int8s, keys);
  const conditions = selection
    .conditions(params)
    .map((condition) => ` AND ${condition}`)
    .join('');
  const held = selection.sources
    .map(
      (source) => `EXISTS (SELECT FROM ${source(params)} AND l.feed_key = f.feed_key${conditions})`,
    )
    .join(' OR ');
  const sql = `SELECT ${layout.sql} FROM feed f LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = f.feed_key
    WHERE f.feed_key = ANY (${wanted}::bigint[]) AND (${held})`;
  const rows = await ctx.db.read(
    bindNamed(sql, { user: viewer.userId, overdueBefore }, params),
    params.values,
  );
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  return new Map(rows.map((row) => [Number(row.cells[0]), new FeedRow(row, layout, reading)]));
}
