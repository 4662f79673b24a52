import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs } from '../../core/graphql/connections.ts';
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
        description: 'Priority number; 0 holds the feeds that have none.',
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
      description: 'Ascending; every configured priority, also with count 0.',
    }),
    total: t.exposeInt('total', { description: 'Sum of the counts.' }),
  }),
});

builder.objectFields(ViewerRef, (t) => ({
  feeds: t.field({
    type: FeedConnection,
    description: 'Work items, 20 a page unless asked otherwise. REST: /task/v1/feeds/list.',
    args: {
      ...connectionArgs,
      filter: t.arg({ type: FeedFilterInput, description: 'What narrows the list.' }),
      filterId: t.arg.id({
        description: 'A system filter that replaces `filter`. REST: filter_id.',
      }),
      orderBy: t.arg({
        type: [FeedOrderInput],
        description: 'REST: sort_by, sort_order. Default: as configured, else by end.',
      }),
    },
    resolve: (_, args, ctx, info) =>
      feedConnection(ctx, info, pageFromConnectionArgs(args), {
        filter: args.filter,
        filterId: args.filterId,
        orderBy: args.orderBy,
      }),
  }),
  tasks: t.field({
    type: FeedConnection,
    description:
      'Tasks under my view, 20 a page unless asked otherwise. REST: /task/v1/feeds/list/tasks.',
    args: {
      ...connectionArgs,
      filter: t.arg({
        type: FeedFilterInput,
        description: 'What narrows the list; its view and taskView play no part.',
      }),
      filterId: t.arg.id({
        description: 'A system filter that replaces `filter`. REST: filter_id.',
      }),
      orderBy: t.arg({
        type: [FeedOrderInput],
        description: 'REST: sort_by, sort_order. Default: as configured, else by end.',
      }),
    },
    resolve: (_, args, ctx, info) =>
      feedConnection(ctx, info, pageFromConnectionArgs(args), {
        filter: args.filter,
        filterId: args.filterId,
        tasksOnly: true,
        orderBy: args.orderBy,
      }),
  }),
  feedCounts: t.field({
    extensions: costs({ weight: 20 }),
    type: FeedCountsRef,
    description:
      'Counts by priority of the feeds that overlap these days. REST: /task/v1/feeds/count.',
    args: {
      startDate: t.arg({ type: 'LocalDate', required: true, description: 'First day.' }),
      endDate: t.arg({ type: 'LocalDate', required: true, description: 'Last day, inclusive.' }),
      filter: t.arg({ type: FeedFilterInput, description: 'What narrows the count.' }),
    },
    resolve: (_, args, ctx) => countFeeds(signedIn(ctx), args),
  }),
}));

builder.queryField('feed', (t) =>
  t.field({
    type: FeedRef,
    nullable: true,
    description: 'The feed with this key; null when there is none that you may see.',
    args: {
      feedKey: t.arg({ type: 'SafeInt', required: true, description: 'Numeric feed identifier.' }),
    },
    resolve: (_, { feedKey }, ctx) => loadFeed(signedIn(ctx), feedKey),
  }),
);
