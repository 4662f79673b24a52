import { preserialiseRest } from './fast/fast-feeds.ts';
import { feedCodec } from './fields/feed-codecs.ts';
import { feedColumns } from './fields/feed-columns.sql.ts';
import type { FeedFieldName } from './fields/feed-fields.ts';
import type { FeedRow } from './fields/feed-row.ts';

/** Feeds as a REST array, with these fields in this order, between two texts. */
export function presentFeeds(
  feeds: readonly FeedRow[],
  fields: readonly FeedFieldName[],
  before = '',
  after = '',
): Buffer {
  return (
    preserialiseRest(feeds, fields, { before, after }) ??
    Buffer.from(`${before}[${feeds.map((feed) => presentFeed(feed, fields)).join()}]${after}`)
  );
}

function presentFeed(feed: FeedRow, fields: readonly FeedFieldName[]): string {
  const members = fields.map((name) => {
    const { absent, rest } = feedCodec(feedColumns[name].type);
    const cell = feed.cell(name);
    return `${JSON.stringify(name)}:${cell === null ? (absent?.rest ?? 'null') : rest(cell, feed.reading)}`;
  });
  return `{${members.join()}}`;
}
