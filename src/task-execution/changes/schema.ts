import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import { AppError } from '../../core/errors.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { feedGlobalId } from '../feeds/feed-id.ts';
import { FeedConnection, FeedRef, selectedFeedColumns } from '../feeds/schema-feed.ts';
import { FeedFilterInput } from '../feeds/schema-inputs.ts';
import type { FeedEvent } from './found-feeds.ts';
import { listFeedChanges, type FeedChanges, type ResyncEvent } from './list-feed-changes.ts';
import { watchFeedChanges, type StreamEndedEvent } from './watch-feed-changes.ts';
import './schema-counts.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const cursorText = 'Position after this change, from which to resume.';
const changedAtText = 'When the change was written, in epoch milliseconds.';

const FeedUpserted = builder
  .objectRef<Extract<FeedEvent, { kind: 'upserted' }>>('FeedUpserted')
  .implement({
    description: 'A feed that is new to you, or has changed, with its state now.',
    fields: (t) => ({
      cursor: t.expose('cursor', { type: 'ChangeCursor', description: cursorText }),
      changedAt: t.expose('changedAt', { type: 'Timestamp', description: changedAtText }),
      feed: t.expose('feed', { type: FeedRef, description: 'The feed as it is now.' }),
    }),
  });

const FeedRemoved = builder
  .objectRef<Extract<FeedEvent, { kind: 'removed' }>>('FeedRemoved')
  .implement({
    description:
      'A feed that was deleted, is no longer visible to you, or no longer matches the filter. REST: a key in X-Removed-Feed-Keys.',
    fields: (t) => ({
      cursor: t.expose('cursor', { type: 'ChangeCursor', description: cursorText }),
      changedAt: t.expose('changedAt', { type: 'Timestamp', description: changedAtText }),
      feedId: t.id({
        description: 'Global id that the feed had.',
        resolve: (event) => feedGlobalId(event.feedKey),
      }),
      feedKey: t.expose('feedKey', { type: 'SafeInt', description: 'Number of the feed.' }),
    }),
  });

const ResyncRequired = builder.objectRef<ResyncEvent>('ResyncRequired').implement({
  description:
    'A gap: continuing from this position could miss changes. Load the list again with feeds(…) and continue from its changeCursor. REST: E116.',
  fields: (t) => ({
    reason: t.exposeString('reason', {
      description: 'Description in English, for people; programs should use types and codes.',
    }),
    legacyCode: t.string({
      description: 'Code in REST: always E116.',
      resolve: () => 'E116',
    }),
    oldestCursor: t.expose('oldestCursor', {
      type: 'ChangeCursor',
      description: 'Position of the oldest change that is still kept.',
    }),
  }),
});

const FeedStreamEndEnum = builder.enumType('FeedStreamEnd', {
  description: 'Why the server ends a stream.',
  values: {
    TOO_SLOW: {
      description:
        'The client read nothing for too long (30 seconds by default) while changes were waiting.',
    },
    SHUTDOWN: { description: 'The gateway is stopping: resume on another one.' },
  } as const,
});

const FeedStreamEnded = builder.objectRef<StreamEndedEvent>('FeedStreamEnded').implement({
  description:
    'The last event of a subscription that the server ends. Nothing is lost: subscribe again with `after: cursor`.',
  fields: (t) => ({
    cursor: t.expose('cursor', {
      type: 'ChangeCursor',
      description: 'Position to resume from: send it as `after`.',
    }),
    cause: t.expose('reason', {
      type: FeedStreamEndEnum,
      description: 'Why the server ended the stream.',
    }),
  }),
});

const FeedChange = builder.unionType('FeedChange', {
  description: 'One event of the change log, as you see it.',
  types: [FeedUpserted, FeedRemoved, ResyncRequired, FeedStreamEnded],
  resolveType: (event) =>
    ({
      upserted: FeedUpserted,
      removed: FeedRemoved,
      resync: ResyncRequired,
      ended: FeedStreamEnded,
    })[event.kind],
});

interface Edge {
  cursor: string;
  node: FeedEvent | ResyncEvent;
}

const FeedChangeEdge = builder.objectRef<Edge>('FeedChangeEdge').implement({
  description: 'An event at its place in the change log.',
  fields: (t) => ({
    cursor: t.expose('cursor', { type: 'ChangeCursor', description: cursorText }),
    node: t.expose('node', {
      type: FeedChange,
      description: 'What happened to a feed, or that a resync is required.',
    }),
  }),
});

const FeedChangeBatch = builder.objectRef<FeedChanges>('FeedChangeBatch').implement({
  description: 'A batch of changes; not a Relay connection: it only goes forward.',
  fields: (t) => ({
    edges: t.field({
      type: [FeedChangeEdge],
      description: 'The events, oldest first, one per feed.',
      resolve: ({ events, resync, endCursor }): Edge[] =>
        resync
          ? [{ cursor: endCursor, node: resync }]
          : events.map((node) => ({ cursor: node.cursor, node })),
    }),
    endCursor: t.expose('endCursor', {
      type: 'ChangeCursor',
      nullable: true,
      description:
        'Position after the batch, to send as `after`; null if there is none. REST: X-Resume-Cursor.',
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'Whether there are more changes to read now. REST: X-Result-Truncated.',
    }),
    nextPollAfterMs: t.exposeInt('nextPollAfterMs', {
      description:
        'Milliseconds to wait before the next call, from feed_refresh_rate. REST: X-Next-Poll-After.',
    }),
  }),
});

builder.objectField(FeedConnection, 'changeCursor', (t) =>
  t.field({
    type: 'ChangeCursor',
    description: 'Position from which to follow changes without a gap.',
    // The change may not have reached a replica yet.
    extensions: { readsPrimary: true },
    resolve: (page) => page.changeCursor,
  }),
);

const followed = {
  type: FeedFilterInput,
  description: 'Filter of the list to follow; by default that of your view.',
};

const systemFilter = {
  description: 'Id of a system filter, which replaces `filter`. REST: filter_id.',
};

builder.objectField(ViewerRef, 'feedChanges', (t) =>
  t.field({
    type: FeedChangeBatch,
    extensions: costs({ weight: 150 }),
    description:
      'Changes among your work items after a position, with the current state of each. A feed may come more than once; no change is left out. REST: /task/v1/feeds/list-latest.',
    args: {
      after: t.arg({
        type: 'ChangeCursor',
        description:
          'Position to continue from; by default, the maximum refresh interval ago. REST: request header X-Resume-Cursor.',
      }),
      fromTime: t.arg({
        type: 'Timestamp',
        description:
          'Time of the last fetch in epoch milliseconds, to continue from without `after`. REST: from_time.',
      }),
      first: t.arg.int({
        required: true,
        defaultValue: MAX_PAGE_SIZE,
        description: 'Maximum number of changes, 1 to 100.',
      }),
      filter: t.arg(followed),
      filterId: t.arg.id(systemFilter),
      feedKeys: t.arg({
        type: ['SafeInt'],
        description: 'Keys of the feeds to report; by default all. REST: feed_keys.',
      }),
      endsFrom: t.arg({
        type: 'Timestamp',
        description:
          'Instant in epoch milliseconds; feeds that ended before it are left out. REST: today_from.',
      }),
    },
    resolve: (_, { after, fromTime, first, endsFrom, ...args }, ctx, info) => {
      if (first < 1 || first > MAX_PAGE_SIZE)
        throw new AppError('E900', { message: `first must be between 1 and ${MAX_PAGE_SIZE}` });
      return listFeedChanges(signedIn(ctx), {
        ...args,
        endsFrom: endsFrom ?? undefined,
        since: after ? { cursor: after } : { fromTime: Math.max(0, fromTime ?? 0) },
        limit: first,
        columns: selectedFeedColumns(info, ['edges', 'node', 'feed']),
      });
    },
  }),
);

builder.subscriptionType({
  description:
    'All subscriptions, over server-sent events (graphql-sse, distinct connections) or WebSocket (graphql-ws), at the same path as queries.',
  fields: (t) => ({
    feedChanged: t.field({
      type: FeedChange,
      description:
        'Sends all changes after `after`, then new ones as they happen. A change may be sent more than once; deduplicate by feed key. Replaces polling with list-latest.',
      args: {
        after: t.arg({
          type: 'ChangeCursor',
          description: 'Position to start from, e.g. the changeCursor of a list; by default now.',
        }),
        filter: t.arg(followed),
        filterId: t.arg.id(systemFilter),
      },
      subscribe: (_, args, ctx, info) =>
        watchFeedChanges(signedIn(ctx), { ...args, columns: selectedFeedColumns(info, ['feed']) }),
      resolve: (event) => event,
    }),
  }),
});
