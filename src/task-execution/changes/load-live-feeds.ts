import { collectTurn } from '../../core/collect-turn.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { Database } from '../../core/database/db.ts';
import type { Row } from '../../core/wire/wire.ts';
import { liveFeeds } from '../change-log/changes.sql.ts';
import { wallClock } from '../../core/time/wall-clock.ts';
import type { FeedColumn } from '../feeds/fields/feed-columns.sql.ts';
import { feedLayout, FeedRow, type FeedLayout } from '../feeds/fields/feed-row.ts';
import { mayRead, readListings, type FeedList } from '../feeds/selection/feed-visibility.sql.ts';
import { readFeedSettings } from '../feeds/selection/feed-settings.ts';

/** Pairs of viewer and feed per statement. */
const BATCH = 500;

interface Wanted {
  userId: number;
  overdueBefore: string;
  feedKey: number;
  layout: FeedLayout;
  found: (row: Row | undefined) => void;
  failed: (error: unknown) => void;
}

const collectors = new WeakMap<Database, (wanted: Wanted) => void>();

/**
 * Those feeds among the keys that are in one of the lists and visible to the viewer, by key. Calls of many streams in
 * one turn share a statement, so that a change that a thousand people see does not take a thousand queries. Visibility
 * is decided by the rows of feed_listing in the same statement.
 */
export async function loadLiveFeeds(
  ctx: SignedInContext,
  lists: readonly FeedList[],
  keys: readonly number[],
  columns: Iterable<FeedColumn>,
): Promise<Map<number, FeedRow>> {
  const { viewer } = ctx;
  const settings = await readFeedSettings(ctx);
  const layout = feedLayout(columns);
  const isReadable = mayRead({ lists, homeDeptIds: viewer.homeDeptIds });
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  const base = {
    userId: viewer.userId,
    overdueBefore: new Date(settings.overdueBefore).toISOString(),
    layout,
  };
  const found = new Map<number, FeedRow>();
  await Promise.all(
    keys.map(async (feedKey) => {
      const row = await new Promise<Row | undefined>((resolve, reject) =>
        enqueue(ctx.db, { ...base, feedKey, found: resolve, failed: reject }),
      );
      const visible = readListings(row?.cells.at(-2)).some(isReadable);
      if (row && visible) found.set(feedKey, new FeedRow(row, layout, reading));
    }),
  );
  return found;
}

function enqueue(db: Database, wanted: Wanted): void {
  let collect = collectors.get(db);
  if (!collect) collectors.set(db, (collect = collectTurn((all) => loadAll(db, all))));
  collect(wanted);
}

function loadAll(db: Database, all: readonly Wanted[]): void {
  for (const layout of new Set(all.map((item) => item.layout))) {
    const same = all.filter((item) => item.layout === layout);
    for (let start = 0; start < same.length; start += BATCH)
      void load(db, layout, same.slice(start, start + BATCH));
  }
}

async function load(db: Database, layout: FeedLayout, batch: readonly Wanted[]): Promise<void> {
  try {
    const rows = await liveFeeds.read(db, { layout, pairs: batch });
    const byPlace = new Map(rows.map((row) => [Number(row.cells.at(-1)), row]));
    batch.forEach((item, index) => item.found(byPlace.get(index + 1)));
  } catch (error) {
    for (const item of batch) item.failed(error);
  }
}
