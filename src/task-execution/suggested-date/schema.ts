import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import { ConflictError, NotFoundError, ValidationError } from '../../core/errors.ts';
import { onlyVersion } from '../../core/graphql/user-errors.ts';
import { decodeFeedId } from '../feeds/feed-id.ts';
import type { FeedRow } from '../feeds/fields/feed-row.ts';
import { FeedRef } from '../feeds/schema-feed.ts';
import { suggestFeedDates } from './suggest-feed-dates.ts';

const SuggestFeedDatesInput = mutationInput('SuggestFeedDatesInput', {
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
  }),
});

const SuggestFeedDatesPayload = mutationPayload<{ feed: FeedRow }>('SuggestFeedDatesPayload', {
  description: 'Result of suggesting dates.',
  fields: (t) => ({
    feed: t.expose('feed', { type: FeedRef, description: 'The feed as it is now.' }),
  }),
});

mutation('suggestFeedDates', {
  description:
    'Suggests first and last day of a feed. REST: POST /task/v1/actions/{feed-key}/suggested-date.',
  input: SuggestFeedDatesInput,
  inputIs: 'Feed and dates.',
  payload: SuggestFeedDatesPayload,
  failures: [ValidationError, NotFoundError, ConflictError],
  resolve: async (input, ctx) => {
    const feedKey = decodeFeedId(input.feedId);
    if (feedKey === undefined) throw new NotFoundError('Feed');
    return { feed: await suggestFeedDates(signedIn(ctx), { ...input, feedKey }) };
  },
});
