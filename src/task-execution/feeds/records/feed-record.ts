import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../core/database/db.ts';
import { inGroups } from '../../../core/records/in-groups.ts';
import { changedIf, type ImportRun, type RecordKind } from '../../../core/records/record-kind.ts';
import { foldCounts } from '../selection/feed-counts.sql.ts';
import { feedRecordSchema, type FeedRecord } from './feed-record-schema.ts';
import { lockFreeFeeds, raiseKeySequence } from './feed-part-writes.sql.ts';
import { countTasks, lockFeeds } from './feed-writes.sql.ts';
import { resolveFeed, type ResolvedFeed } from './resolve-feed.ts';
import { writeFeeds } from './write-feeds.ts';

/** Parents remembered at once. Counting after every batch would read all tasks of a large project again and again. */
const MAX_PARENTS = 100_000;

/** How long an import gives way to who has a feed that it wants: so many times these milliseconds, then it waits in turn. */
const [MAX_TRIES, TRY_AGAIN] = [400, 50];

/** Import record `feed`. */
export const feedRecord: RecordKind<FeedRecord> = {
  name: 'feed',
  schema: feedRecordSchema,
  key: (value) => String(value.feed_key),
  logins: ({ owner, assignments = [], user_states = [] }) => [
    owner,
    ...[...assignments, ...user_states].map(({ user }) => user),
  ],
  async write(batch, run) {
    const feedKeys = batch.flatMap(({ value }) => [
      value.feed_key,
      value.parent_feed_key ?? value.feed_key,
    ]);
    await giveWay(run.db, feedKeys);
    const stored = await lockFeeds.rows(run.db, { feedKeys });
    const known = new Map(stored.map(({ feedKey, ...feed }) => [feedKey, feed]));
    const feeds: ResolvedFeed[] = [];
    for (const some of inGroups(batch)) {
      for (const item of some) {
        const feed = resolveFeed(item, known, run);
        if (feed) feeds.push(feed);
      }
      await setImmediate(); // others have a turn
    }
    const changed = await writeFeeds(run, feeds);
    for (const { parents } of feeds) for (const parent of parents) run.parents.add(parent);
    if (run.parents.size > MAX_PARENTS) await countBelowParents(run);
    return feeds.map(({ isNew, feedKey }) => (isNew ? 'new' : changedIf(changed.has(feedKey))));
  },
  async finish(run) {
    await countBelowParents(run);
    await foldCounts.rows(run.db, { batch: null });
    await raiseKeySequence.rows(run.db, {});
  },
};

/**
 * Locks feeds as they become free: an import that waited for one, while who has it waits for one that the import has, would be
 * ended by PostgreSQL with all of its work. The other one waits for as long as a request may; then it fails, and can be repeated.
 */
async function giveWay(db: Database, feedKeys: readonly number[]): Promise<void> {
  for (let [busy, tries] = [feedKeys, 0]; tries < MAX_TRIES; tries++) {
    busy = (await lockFreeFeeds.rows(db, { feedKeys: busy })).map(({ feedKey }) => feedKey);
    if (busy.length === 0) return;
    await sleep(TRY_AGAIN);
  }
}

async function countBelowParents({ db, parents }: ImportRun): Promise<void> {
  const keys = [...parents];
  parents.clear();
  if (keys.length === 0) return;
  await giveWay(db, keys);
  await countTasks.rows(db, { parents: keys });
}
