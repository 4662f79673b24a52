import type { Database } from '../../../core/database/db.ts';
import type { ImportRun } from '../../../core/records/record-kind.ts';
import type { ResolvedFeed } from './resolve-feed.ts';
import {
  addParts,
  logStates,
  refreshLists,
  removeParts,
  saveStates,
  type FeedPart,
} from './feed-part-writes.sql.ts';
import { changeFeeds, feedsInCycles, insertFeeds, mergeFeeds } from './feed-writes.sql.ts';
import { sameColumns } from './same-columns.ts';

/**
 * Writes a batch, one statement per table, and updates the lists for the changed feeds. Returns the keys of new and
 * changed ones.
 */
export async function writeFeeds(
  run: ImportRun,
  feeds: readonly ResolvedFeed[],
): Promise<ReadonlySet<number>> {
  if (feeds.length === 0) return new Set();
  const { db } = run;
  const now = new Date(run.now);
  const stored = await upsertFeeds(db, feeds, now);
  await refuseParentCycles(run, feeds);
  const parts = new Set([
    ...(await replaceParts(db, feeds, 'feed_assignment', (feed) => feed.assignments)),
    ...(await replaceParts(db, feeds, 'feed_tag', (feed) => feed.tags)),
    ...(await replaceParts(db, feeds, 'feed_attribute', (feed) => feed.attributes)),
  ]);
  // A feed with new tags has changed although its row has not.
  const touched = [...parts].filter((key) => !stored.has(key));
  if (touched.length > 0) await changeFeeds.rows(db, { feedKeys: touched, change: {}, now });
  const states = feeds.flatMap((feed) => feed.states);
  const flagged =
    states.length === 0 ? [] : await saveStates.rows(db, { rows: JSON.stringify(states), now });
  // The others are logged for everybody.
  const unlogged = flagged.filter(({ feedKey }) => !stored.has(feedKey) && !parts.has(feedKey));
  if (unlogged.length > 0) {
    const userIds = unlogged.map(({ userId }) => userId);
    await logStates.rows(db, { feedKeys: keysOf(unlogged), userIds });
  }
  const changed = new Set([...stored, ...parts, ...keysOf(flagged)]);
  if (changed.size > 0) await refreshLists.rows(db, { feedKeys: [...changed] });
  return changed;
}

const keysOf = (rows: readonly { feedKey: number }[]): number[] =>
  rows.map(({ feedKey }) => feedKey);

const newFeed = Object.entries(sameColumns).filter(([, initial]) => initial !== null);

/** Stores the rows and returns the keys of new and changed ones. Fields that a record omits keep their values. */
async function upsertFeeds(
  db: Database,
  feeds: readonly ResolvedFeed[],
  now: Date,
): Promise<Set<number>> {
  const fresh = feeds.filter((feed) => feed.isNew).map((feed) => withDefaults(feed.row));
  const given = feeds.filter((feed) => !feed.isNew).map((feed) => feed.row);
  return new Set([
    ...(fresh.length === 0
      ? []
      : keysOf(await insertFeeds.rows(db, { rows: JSON.stringify(fresh), now }))),
    ...(given.length === 0
      ? []
      : keysOf(await mergeFeeds.rows(db, { rows: JSON.stringify(given), now }))),
  ]);
}

function withDefaults(row: Record<string, unknown>): Record<string, unknown> {
  const full = { ...row };
  for (const [column, value] of newFeed) full[column] ??= value;
  return full;
}

/** Gives the feeds exactly the parts of their records; returns the keys of feeds that changed. */
async function replaceParts(
  db: Database,
  feeds: readonly ResolvedFeed[],
  part: FeedPart,
  partsOf: (feed: ResolvedFeed) => object[] | undefined,
): Promise<number[]> {
  const given = feeds.filter((feed) => partsOf(feed) !== undefined);
  const wanted = JSON.stringify(given.flatMap((feed) => partsOf(feed) ?? []));
  const feedKeys = given.filter((feed) => !feed.isNew).map((feed) => feed.feedKey);
  const removed = feedKeys.length > 0 ? await removeParts.rows(db, { part, feedKeys, wanted }) : [];
  const added = wanted === '[]' ? [] : await addParts.rows(db, { part, wanted });
  return keysOf([...removed, ...added]);
}

/**
 * Reports feeds that a batch made their own ancestors. This can only happen to feeds that existed before: a parent
 * comes before its child.
 */
async function refuseParentCycles(run: ImportRun, feeds: readonly ResolvedFeed[]): Promise<void> {
  const moved = new Map(
    feeds
      .filter((feed) => !feed.isNew && typeof feed.row.parent_feed_key === 'number')
      .map((feed) => [feed.feedKey, feed.line]),
  );
  if (moved.size === 0) return;
  for (const { feedKey } of await feedsInCycles.rows(run.db, { feedKeys: [...moved.keys()] }))
    run.problem(moved.get(feedKey) ?? 0, 'parent_feed_key', 'makes the feed its own ancestor');
}
