import type { RecordKind } from '../../../core/records/record-kind.ts';
import { feedRecordSchema, type FeedRecord } from './feed-record-schema.ts';
import { lockFeeds } from './lock-feeds.ts';
import { resolveFeed, type ResolvedFeed } from './resolve-feed.ts';
import { writeFeeds } from './write-feeds.ts';
import { finishFeeds, rememberParents } from './finish-feeds.ts';

/** Import record `feed`. */
export const feedRecord: RecordKind<FeedRecord> = {
  name: 'feed',
  schema: feedRecordSchema,
  key: (value) => String(value.feed_key),
  async write(batch, run) {
    const known = await lockFeeds(
      run.client,
      batch.flatMap(({ value }) => [value.feed_key, value.parent_feed_key ?? value.feed_key]),
    );
    const feeds: ResolvedFeed[] = [];
    for (const item of batch) {
      const feed = resolveFeed(item, known, run);
      if (feed) feeds.push(feed);
    }
    await rememberParents(run.client, feeds);
    await writeFeeds(run, feeds);
  },
  finish: (run) => finishFeeds(run.client),
};
