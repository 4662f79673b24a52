import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { FeedFilterInput } from '../feeds/schema-inputs.ts';
import { FeedCountsRef } from '../feeds/schema.ts';
import { watchFeedCounts } from './watch-feed-counts.ts';

builder.subscriptionField('feedCountsChanged', (t) =>
  t.field({
    extensions: costs({ weight: 20 }),
    type: FeedCountsRef,
    description:
      'Counts by priority of the feeds that overlap these days: the current ones at once, and new ones after changes. Ends with the error RESYNC_REQUIRED when your departments, unit or time zone change.',
    args: {
      startDate: t.arg({
        type: 'LocalDate',
        required: true,
        description: "First day, in the session's time zone.",
      }),
      endDate: t.arg({ type: 'LocalDate', required: true, description: 'Last day, inclusive.' }),
      filter: t.arg({
        type: FeedFilterInput,
        description: 'Which feeds to count; by default those of your view.',
      }),
    },
    subscribe: (_, args, ctx) => watchFeedCounts(signedIn(ctx), args),
    resolve: (counts) => counts,
  }),
);
