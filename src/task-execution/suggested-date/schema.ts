import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Context } from '../../core/context/context.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { onlyVersion } from '../../core/graphql/user-errors.ts';
import { decodeFeedId } from '../feeds/feed-id.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { FeedRef } from '../feeds/schema-feed.ts';
import { suggestFeedDates } from './suggest-feed-dates.ts';

const SuggestFeedDatesInput = builder.inputType('SuggestFeedDatesInput', {
  description: 'A feed and its suggested dates.',
  fields: (t) => ({
    feedId: t.id({ required: true, description: 'Global id of the feed.' }),
    startDate: t.field({
      type: 'LocalDate',
      description:
        'First day to suggest. Omit it to leave the suggestion unchanged; null clears it. REST: sugg_start_date_val.',
    }),
    endDate: t.field({
      type: 'LocalDate',
      description:
        'Last day to suggest, not before the first. Omit it to leave the suggestion unchanged; null clears it. REST: sugg_end_date_val.',
    }),
    expectedVersion: t.int({ description: onlyVersion }),
    clientMutationId: t.string({
      description: 'Text of your choice, returned unchanged in the payload.',
    }),
  }),
});

const SuggestFeedDatesPayload = builder
  .objectRef<{ feed: FeedRow; clientMutationId: string | null | undefined }>(
    'SuggestFeedDatesPayload',
  )
  .implement({
    description: 'Result of suggesting dates.',
    fields: (t) => ({
      feed: t.expose('feed', { type: FeedRef, description: 'The feed as it is now.' }),
      clientMutationId: t.exposeString('clientMutationId', {
        nullable: true,
        description: 'The clientMutationId of the input; null if none was sent.',
      }),
    }),
  });

builder.mutationField('suggestFeedDates', (t) =>
  t.field({
    type: SuggestFeedDatesPayload,
    description:
      'Suggests first and last day of a feed. REST: POST /task/v1/actions/{feed-key}/suggested-date.',
    errors: {
      types: [ValidationError, NotFoundError, ConflictError],
      union: { name: 'SuggestFeedDatesResult', description: 'Outcome of suggestFeedDates.' },
    },
    args: {
      input: t.arg({ type: SuggestFeedDatesInput, required: true, description: 'Feed and dates.' }),
    },
    resolve: async (_, { input }, ctx: Context) => {
      const feedKey = decodeFeedId(input.feedId);
      if (feedKey === undefined) throw new NotFoundError('Feed');
      return {
        feed: await suggestFeedDates(signedIn(ctx), { ...input, feedKey }),
        clientMutationId: input.clientMutationId,
      };
    },
  }),
);
