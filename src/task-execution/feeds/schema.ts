import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { countFeeds, type FeedCounts } from './count-feeds.ts';
import { loadFeed } from './load-feeds.ts';
import { FeedConnection, feedConnection, FeedRef } from './schema-feed.ts';
import { FeedFilterInput, FeedOrderInput } from './schema-inputs.ts';
import './schema-mutations.ts';
import './schema-visibility.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const FeedPriorityCount = builder
  .objectRef<FeedCounts['priorities'][number]>('FeedPriorityCount')
  .implement({
    description: 'Number of feeds of one priority. REST: an item of priorities.',
    fields: (t) => ({
      priority: t.exposeInt('priority', {
        description: 'Priority number; 0 stands for feeds without a priority.',
      }),
      priorityDesc: t.exposeString('description', {
        nullable: true,
        description:
          'Description of the priority, as configured; null if it is not configured. REST: priority_desc.',
      }),
      count: t.exposeInt('count', { description: 'Number of feeds with this priority.' }),
    }),
  });

export const FeedCountsRef = builder.objectRef<FeedCounts>('FeedCounts').implement({
  description: 'Numbers of feeds by priority. REST: count_data.',
  fields: (t) => ({
    priorities: t.expose('priorities', {
      type: [FeedPriorityCount],
      extensions: costs({ rows: 10 }),
      description:
        'Counts in ascending order of priority; every configured priority, even with count 0.',
    }),
    total: t.exposeInt('total', { description: 'Number of all feeds: the sum of the counts.' }),
  }),
});

const listArgs = builder.args((t) => ({
  filterId: t.id({
    description:
      'Id of a system filter, which replaces `filter`; nothing matches if there is none of that id. REST: filter_id.',
  }),
  orderBy: t.field({
    type: [FeedOrderInput],
    description:
      'Columns of the order, most significant first; by default the configured order, or else by end. REST: sort_by, sort_order.',
  }),
}));

builder.objectFields(ViewerRef, (t) => ({
  feeds: t.connection(
    {
      type: FeedRef,
      description: 'Your work items, by default 20 per page. REST: /task/v1/feeds/list.',
      args: {
        filter: t.arg({
          type: FeedFilterInput,
          description: 'Which feeds to list; by default those of your view.',
        }),
        ...listArgs,
      },
      resolve: (_, args, ctx, info) => feedConnection(ctx, info, args),
    },
    FeedConnection,
  ),
  tasks: t.connection(
    {
      type: FeedRef,
      description: 'Tasks of "my view", by default 20 per page. REST: /task/v1/feeds/list/tasks.',
      args: {
        filter: t.arg({
          type: FeedFilterInput,
          description: 'Which tasks to list; its view and taskView are ignored.',
        }),
        ...listArgs,
      },
      resolve: (_, args, ctx, info) => feedConnection(ctx, info, { ...args, tasksOnly: true }),
    },
    FeedConnection,
  ),
  feedCounts: t.field({
    extensions: costs({ weight: 20 }),
    type: FeedCountsRef,
    description:
      'Counts by priority of the feeds that overlap these days. REST: /task/v1/feeds/count.',
    args: {
      startDate: t.arg({
        type: 'LocalDate',
        required: true,
        description: "First day, in the session's time zone. REST: start_date.",
      }),
      endDate: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'Last day, inclusive. REST: end_date.',
      }),
      filter: t.arg({
        type: FeedFilterInput,
        description: 'Which feeds to count; by default those of your view.',
      }),
    },
    resolve: (_, args, ctx) => countFeeds(signedIn(ctx), args),
  }),
}));

builder.queryField('feed', (t) =>
  t.field({
    type: FeedRef,
    nullable: true,
    description: 'The feed with this key; null if it does not exist or you may not see it.',
    args: {
      feedKey: t.arg({
        type: 'SafeInt',
        required: true,
        description: 'Number of the feed. REST: feed_key.',
      }),
    },
    resolve: (_, { feedKey }, ctx) => loadFeed(signedIn(ctx), feedKey),
  }),
);
