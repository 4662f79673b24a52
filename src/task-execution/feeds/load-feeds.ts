import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { batched } from '../../core/lists/load-by-id.ts';
import type { Database } from '../../core/database/db.ts';
import { wallClock } from '../../core/time/wall-clock.ts';
import { visibleFeeds } from './feed-pages.sql.ts';
import { feedDetails, type FeedColumn } from './fields/feed-columns.sql.ts';
import { feedFields } from './fields/feed-fields.ts';
import { feedLayout, FeedRow } from './fields/feed-row.ts';
import { readFeedSettings } from './selection/feed-settings.ts';

const detailed = { ...feedFields, ...feedDetails };
const everyColumn = Object.keys(detailed).filter((name): name is FeedColumn => name in detailed);

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, FeedRow | null>(async (keys) => {
      const found = await (await feedReader(ctx))(ctx.db, keys);
      return keys.map((key) => found.get(key) ?? null);
    }, batched),
);

/**
 * The feed with this key and all its columns, or null if it does not exist or the viewer may not see it. GraphQL
 * `feed`, `node`, `Feed.parent`.
 */
export async function loadFeed(ctx: SignedInContext, feedKey: number): Promise<FeedRow | null> {
  return Number.isSafeInteger(feedKey) && feedKey > 0 ? loader(ctx).load(feedKey) : null;
}

/**
 * How feeds are read at the end of the transaction that changes them, with one statement; loadFeed then knows them, once
 * the caller says that it is `done`, which forgets what was read before.
 */
export async function feedsAfterWrite(ctx: SignedInContext): Promise<{
  read: (db: Pick<Database, 'read'>, keys: readonly number[]) => Promise<void>;
  done: () => void;
}> {
  const rowsOf = await feedReader(ctx);
  const found = new Map<number, FeedRow | null>();
  return {
    async read(db, keys) {
      const rows = await rowsOf(db, keys);
      for (const key of keys) found.set(key, rows.get(key) ?? null);
    },
    done() {
      const known = loader(ctx).clearAll();
      for (const [key, feed] of found) known.prime(key, feed);
    },
  };
}

/** Forgets feeds that were read before a write in this request. */
export function forgetFeeds(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}

/** Reads those of the feeds that the viewer may see, by key, with one statement, which is sent at once. */
async function feedReader(
  ctx: SignedInContext,
): Promise<(db: Pick<Database, 'read'>, keys: readonly number[]) => Promise<Map<number, FeedRow>>> {
  const { viewer } = ctx;
  const { overdueBefore } = await readFeedSettings(ctx);
  const layout = feedLayout(everyColumn);
  const named = { user: viewer.userId, overdueBefore };
  return async (db, keys) => {
    const rows = await visibleFeeds.read(db, { keys, layout, named, viewer });
    const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
    return new Map(rows.map((row) => [Number(row.cells[0]), new FeedRow(row, layout, reading)]));
  };
}
