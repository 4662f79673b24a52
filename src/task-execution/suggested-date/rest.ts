import * as z from 'zod';
import { readInput } from '../../core/rest/read-input.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { parameter } from '../../core/rest/request-schema.ts';
import { Fault, readBy } from '../../core/rest/parameter-values.ts';
import { jsonAnswer, type RequestFacts, type Route } from '../../core/rest/route.ts';
import { type Day, parseDay } from '../../core/time/days.ts';
import { feedGlobalId } from '../feeds/feed-id.ts';
import { suggestFeedDates } from './suggest-feed-dates.ts';

/** The documented answer to a successful suggestion, also to one that changes nothing. */
const SUGGESTED = 'Suggested start and end dates updated successfully';

/** An integer of at least 1; undefined for anything else. No feed has a key beyond 2^53-1, which is no safe integer. */
function parseFeedKey(text: string): number | undefined {
  return /^\d{1,19}$/.test(text) && Number(text) >= 1 ? Number(text) : undefined;
}

/** A suggested date: undefined leaves it unchanged, null clears it. */
const day = (description: string, example: string): z.ZodType<Day | null | undefined> =>
  parameter(
    readBy((sent) => {
      if (sent === undefined) return undefined;
      if (sent === '' || sent === null) return null;
      const read = typeof sent === 'string' ? parseDay(sent) : undefined;
      return read ?? new Fault('must be a day yyyyMMdd, or empty');
    }),
    {
      in: 'body',
      description: `${description}, yyyyMMdd. Left out: unchanged; empty: cleared.`,
      example,
      unusable: 'INVALID_DATE',
    },
  );

const suggestion = z.object({
  'feed-key': parameter(
    readBy((key) => parseFeedKey(String(key)) ?? new Fault('must be a positive integer'), {
      type: 'integer',
      format: 'int64',
      minimum: 1,
    }),
    { in: 'path', required: true, description: 'Numeric feed identifier.', example: 4501 },
  ),
  sugg_start_date_val: day('Suggested start', '20261201'),
  sugg_end_date_val: day('Suggested end', '20261205'),
});

async function readSuggestion(request: RequestFacts) {
  const { values, ...input } = await readInput(request, suggestion);
  const { sugg_start_date_val: startDate, sugg_end_date_val: endDate } = values;
  return { ...input, feedKey: values['feed-key'], dates: { startDate, endDate } };
}

export const suggestedDateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/task/v1/actions/{feed-key}/suggested-date',
    operation: 'suggestFeedDates',
    family: 'task',
    summary: 'Sets or clears the suggested start and end dates of a feed.',
    parameters: describeParameters(suggestion),
    fieldNames: { startDate: 'sugg_start_date_val', endDate: 'sugg_end_date_val' },
    answer: jsonAnswer(z.object({ status: z.literal('OK'), response: z.string() }), {
      status: 'OK',
      response: SUGGESTED,
    }),
    errors: ['E900'],
    noDataKey: 'errorCode',
    run: async (ctx, request) => {
      const { feedKey, dates, headers } = await readSuggestion(request);
      await suggestFeedDates(ctx, { feedKey, ...dates });
      return { headers, body: JSON.stringify({ status: 'OK', response: SUGGESTED }) };
    },
    explain: async (request) => {
      const { feedKey, dates, ignored } = await readSuggestion(request);
      const input = { feedId: feedGlobalId(feedKey), ...dates };
      return {
        steps: [{ field: 'suggestFeedDates', args: { input } }],
        select:
          '... on SuggestFeedDatesPayload { feed { feedKey suggestedStartDate suggestedEndDate } } ... on UserError { code message }',
        ignored,
      };
    },
  },
];
