import { ResyncRequiredError, type Client } from '../../src/client/create-client.ts';
import { graphql } from '../../src/generated/client/gql.ts';
import type { KeptFeedsQuery } from '../../src/generated/client/graphql.ts';

const KeptFeeds = graphql(`
  query KeptFeeds($first: Int, $after: Cursor) {
    viewer {
      feeds(first: $first, after: $after) {
        changeCursor
        nodes { id feedKey feedTitle status }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);
const KeptFeedChanged = graphql(`
  subscription KeptFeedChanged($after: ChangeCursor) {
    feedChanged(after: $after) {
      __typename
      ... on FeedUpserted { cursor feed { id feedKey feedTitle status } }
      ... on FeedRemoved { cursor feedId }
      ... on ResyncRequired { reason }
      ... on FeedStreamEnded { cursor }
    }
  }
`);

export type KeptFeed = KeptFeedsQuery['viewer']['feeds']['nodes'][number];

/** All feeds by their id, again after every change, until `signal` is aborted; whatever breaks meanwhile. */
export async function* keepFeeds(
  client: Client,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyMap<string, KeptFeed>, never> {
  for (;;) {
    const feeds = new Map<string, KeptFeed>();
    let after = '';
    for await (const page of client.pages(KeptFeeds, { first: 100 }, ({ viewer }) => viewer.feeds, {
      signal,
    })) {
      after ||= page.changeCursor; // what changes while the other pages are read comes again
      for (const feed of page.nodes) feeds.set(feed.id, feed);
    }
    yield feeds;
    try {
      for await (const event of client.follow(
        KeptFeedChanged,
        { after },
        ({ feedChanged }) => feedChanged,
        { signal },
      )) {
        if (event.__typename === 'FeedUpserted') feeds.set(event.feed.id, event.feed);
        else feeds.delete(event.feedId);
        yield feeds;
      }
    } catch (error) {
      // The position is too old, as after a night of sleep: all over again.
      if (!(error instanceof ResyncRequiredError)) throw error;
    }
  }
}
