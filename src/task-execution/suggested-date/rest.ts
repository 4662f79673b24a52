import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import { z } from 'zod';
import { jsonAnswer, type RequestFacts, type RestBody, type Route } from '../../core/rest/route.ts';
import { parseDay, type Day } from '../../core/time.ts';
import { feedGlobalId } from '../feeds/feed-id.ts';
import { parseFeedKey } from '../feeds/path-keys.ts';
import { suggestFeedDates } from './suggest-feed-dates.ts';

/** The documented answer to a successful suggestion, also to one that changes nothing. */
export const SUGGESTED = 'Suggested start and end dates updated successfully';

const fields = ['sugg_start_date_val', 'sugg_end_date_val'] as const;

export const suggestedDateRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/task/v1/actions/{feed-key}/suggested-date',
    operation: 'suggestFeedDates',
    family: 'task',
    summary: 'Sets or clears the suggested start and end dates of a feed.',
    parameters: [
      {
        name: 'feed-key',
        in: 'path',
        required: true,
        schema: { type: 'integer', format: 'int64', minimum: 1 },
        example: 4501,
        description: 'Numeric feed identifier.',
      },
      {
        name: fields[0],
        in: 'body',
        schema: { type: 'string' },
        example: '20261201',
        description: 'Suggested start, yyyyMMdd. Left out: unchanged; empty: cleared.',
      },
      {
        name: fields[1],
        in: 'body',
        schema: { type: 'string' },
        example: '20261205',
        description: 'Suggested end, yyyyMMdd. Left out: unchanged; empty: cleared.',
      },
    ],
    fieldNames: { startDate: fields[0], endDate: fields[1] },
    answer: jsonAnswer(z.object({ status: z.literal('OK'), response: z.string() }), {
      status: 'OK',
      response: SUGGESTED,
    }),
    errors: ['E900'],
    noDataKey: 'errorCode',
    run: async (ctx, request) => {
      const { read, ...args } = await readRequest(request);
      await suggestFeedDates(ctx, args);
      return {
        headers: read.headers(),
        body: JSON.stringify({ status: 'OK', response: SUGGESTED }),
      };
    },
    explain: async (request) => {
      const { read, feedKey, ...dates } = await readRequest(request);
      return {
        steps: [
          {
            field: 'suggestFeedDates',
            args: { input: { feedId: feedGlobalId(feedKey), ...dates } },
          },
        ],
        select:
          '... on SuggestFeedDatesPayload { feed { feedKey suggestedStartDate suggestedEndDate } } ... on UserError { code message }',
        ignored: read.ignored(),
      };
    },
  },
];

/** Reads path, query and body. Throws E900 naming every fault. */
async function readRequest(request: RequestFacts): Promise<{
  read: ParameterReader;
  feedKey: number;
  startDate: Day | null | undefined;
  endDate: Day | null | undefined;
}> {
  const feedKey = parseFeedKey(request.path['feed-key'] ?? '');
  if (feedKey === undefined)
    throw new ValidationError([
      { path: ['feed-key'], message: 'must be a positive integer', code: 'INVALID_PARAMETER' },
    ]);
  const given = bodyFields(await request.body());
  const read = new ParameterReader(
    request,
    request.query,
    [...given.keys()].map((name) => [name, '']),
  );
  const [startDate, endDate] = readDates(given);
  for (const name of fields) if (given.has(name)) read.text(name);
  read.finish();
  return { read, feedKey, startDate, endDate };
}

/** The values of each body field, as they were sent. */
function bodyFields(body: RestBody): Map<string, unknown[]> {
  if (body.kind === 'form')
    return new Map([...new Set(body.form.keys())].map((name) => [name, body.form.getAll(name)]));
  if (typeof body.json !== 'object' || body.json === null || Array.isArray(body.json))
    throw new ValidationError(
      [{ path: [], message: 'the body must be a JSON object', code: 'INVALID_BODY' }],
      'The body must be a JSON object',
    );
  return new Map(Object.entries(body.json).map(([name, value]) => [name, [value]]));
}

/** Strict, for data are changed (P6): a day, empty or null to clear, undefined when left out. Throws E900 naming every fault. */
function readDates(given: ReadonlyMap<string, unknown[]>): (Day | null | undefined)[] {
  const problems: FieldProblem[] = [];
  const dates = fields.map((name) => {
    const values = given.get(name);
    if (!values) return undefined;
    const [value] = values;
    if (values.length === 1 && (value === '' || value === null)) return null;
    const day = values.length === 1 && typeof value === 'string' ? parseDay(value) : undefined;
    if (day === undefined)
      problems.push({
        path: [name],
        message: values.length > 1 ? 'is sent more than once' : 'must be a day yyyyMMdd, or empty',
        code: 'INVALID_DATE',
      });
    return day;
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return dates;
}
