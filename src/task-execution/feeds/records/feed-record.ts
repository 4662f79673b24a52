import { setImmediate } from 'node:timers/promises';
import { inGroups } from '../../../core/records/in-groups.ts';
import { changedIf, type ImportRun, type RecordKind } from '../../../core/records/record-kind.ts';
import { foldCounts } from '../selection/feed-counts.sql.ts';
import { feedRecordSchema, type FeedRecord } from './feed-record-schema.ts';
import { countTasks, lockFeeds, raiseKeySequence } from './feed-writes.sql.ts';
import { resolveFeed, type ResolvedFeed } from './resolve-feed.ts';
import { writeFeeds } from './write-feeds.ts';

/** Parents remembered at once. Counting after every batch would read all tasks of a large project again and again. */
const MAX_PARENTS = 100_000;

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
    const stored = await lockFeeds.rows(run.db, {
      feedKeys: batch.flatMap(({ value }) => [
        value.feed_key,
        value.parent_feed_key ?? value.feed_key,
      ]),
    });
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

async function countBelowParents({ db, parents }: ImportRun): Promise<void> {
  if (parents.size > 0) await countTasks.rows(db, { parents: [...parents] });
  parents.clear();
}
