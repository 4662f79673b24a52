import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { countFeeds, type FeedCounts } from './count-feeds.ts';
import { loadFeed } from './load-feeds.ts';
import { FeedConnection, feedConnection, FeedRef } from './schema-feed.ts';
import { FeedFilterInput, FeedOrderInput } from './schema-inputs.ts';
import './schema-mutations.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const FeedPriorityCount = builder
  .objectRef<FeedCounts['priorities'][number]>('FeedPriorityCount')
  .implement({
    description: 'Feeds of one priority.',
    fields: (t) => ({
      priority: t.exposeInt('priority', {
        description: 'Priority number; 0 stands for feeds without a priority.',
      }),
      priorityDesc: t.exposeString('description', {
        nullable: true,
        description: 'Its configured description.',
      }),
      count: t.exposeInt('count', { description: 'Number of feeds with this priority.' }),
    }),
  });

export const FeedCountsRef = builder.objectRef<FeedCounts>('FeedCounts').implement({
  description: 'REST: count_data.',
  fields: (t) => ({
    priorities: t.expose('priorities', {
      type: [FeedPriorityCount],
      extensions: costs({ rows: 10 }),
      description: 'In ascending order; every configured priority, even with count 0.',
    }),
    total: t.exposeInt('total', { description: 'Sum of the counts.' }),
  }),
});

const listArgs = builder.args((t) => ({
  filterId: t.id({ description: 'A system filter that replaces `filter`. REST: filter_id.' }),
  orderBy: t.field({
    type: [FeedOrderInput],
    description: 'By default the configured order, or else by end. REST: sort_by, sort_order.',
  }),
}));

builder.objectFields(ViewerRef, (t) => ({
  feeds: t.connection(
    {
      type: FeedRef,
      description: 'Work items, by default 20 per page. REST: /task/v1/feeds/list.',
      args: {
        filter: t.arg({ type: FeedFilterInput, description: 'Filter of the list.' }),
        ...listArgs,
      },
      resolve: (_, args, ctx, info) =>
        feedConnection(ctx, info, pageFromConnectionArgs(args), {
          filter: args.filter,
          filterId: args.filterId,
          orderBy: args.orderBy,
        }),
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
          description: 'Filter of the list; its view and taskView are ignored.',
        }),
        ...listArgs,
      },
      resolve: (_, args, ctx, info) =>
        feedConnection(ctx, info, pageFromConnectionArgs(args), {
          filter: args.filter,
          filterId: args.filterId,
          tasksOnly: true,
          orderBy: args.orderBy,
        }),
    },
    FeedConnection,
  ),
  feedCounts: t.field({
    extensions: costs({ weight: 20 }),
    type: FeedCountsRef,
    description:
      'Counts by priority of the feeds that overlap these days. REST: /task/v1/feeds/count.',
    args: {
      startDate: t.arg({ type: 'LocalDate', required: true, description: 'First day.' }),
      endDate: t.arg({ type: 'LocalDate', required: true, description: 'Last day, inclusive.' }),
      filter: t.arg({ type: FeedFilterInput, description: 'Filter of the count.' }),
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
      feedKey: t.arg({ type: 'SafeInt', required: true, description: 'Numeric feed identifier.' }),
    },
    resolve: (_, { feedKey }, ctx) => loadFeed(signedIn(ctx), feedKey),
  }),
);
