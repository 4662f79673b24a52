import type { SignedInContext } from '../../core/context/context.ts';
import { wallClock } from '../../core/time/wall-clock.ts';
import { selectedFeeds } from '../feeds/feed-pages.sql.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import { feedLayout, FeedRow } from '../feeds/fields/feed-row.ts';
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
  const { sources, conditions } = selection;
  const named = { user: viewer.userId, overdueBefore };
  const rows = await selectedFeeds.read(ctx.db, { keys, layout, named, sources, conditions });
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  return new Map(rows.map((row) => [Number(row.cells[0]), new FeedRow(row, layout, reading)]));
}
