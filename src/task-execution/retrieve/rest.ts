import { AppError } from '../../core/errors.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import * as z from 'zod';
import { jsonAnswer, type RestReply, type RestRequest, type Route } from '../../core/rest/route.ts';
import { listFeedChanges, MAX_CHANGES } from '../changes/list-feed-changes.ts';
import { countFeeds } from '../feeds/count-feeds.ts';
import { explainFeedChanges, explainFeedCount, explainFeedList } from './explain-feeds.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { namesInHeader } from '../../core/rest/parameters.ts';
import { tablesOf } from '../../core/rest/request-schema.ts';
import { feedRequest, forcedViews, retrieveTypes } from './feed-parameters.ts';
import { presentFeeds } from '../feeds/present-feeds.ts';
import {
  feedChangesShape,
  feedCountShape,
  feedListExample,
  feedListShape,
} from '../feeds/feed-shapes.ts';
import { listFeeds } from '../feeds/list-feeds.ts';
import { readCountRequest, readLatestRequest, readListRequest } from './retrieve-parameters.ts';

const listHeaders = { 'X-Ignored-Projections': 'Names in projections that are no fields.' };
const changeHeaders = {
  'X-Resume-Cursor': 'list-latest: to be repeated in the next call.',
  'X-Next-Poll-After': 'list-latest: milliseconds to wait.',
  'X-Last-Fetch-Time':
    'list-latest: epoch milliseconds, the next from_time. Not sent with X-Result-Truncated.',
  'X-Removed-Feed-Keys': 'list-latest: feeds that went out of sight, comma-separated, at most 200.',
  'X-Result-Truncated': 'list-latest: true when there is more to fetch at once.',
};

const tables = tablesOf(feedRequest);
const modesOf = (name: string): readonly string[] => tables.get(name)?.modes ?? [];

export const feedRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/task/v1/feeds/{retrieve-type}',
    operation: 'retrieveFeeds',
    family: 'task',
    summary: 'Lists, counts or polls the work items of the session user.',
    parameters: [
      {
        name: 'retrieve-type',
        in: 'path',
        required: true,
        schema: { type: 'string', enum: retrieveTypes },
        description: 'What to retrieve.',
      },
      ...describeParameters(feedRequest).map(({ required, ...row }) => ({
        ...row,
        description: `${row.description} (${modesOf(row.name).join(', ')}${required ? ', where it is required' : ''})`,
      })),
      {
        name: 'X-Resume-Cursor',
        in: 'header',
        schema: { type: 'string' },
        description:
          'That of the last list-latest: takes the place of from_time, and then nothing comes twice.',
      },
    ],
    answer: jsonAnswer(
      z.union([feedListShape, feedCountShape, feedChangesShape]),
      feedListExample,
      { headers: { ...listHeaders, ...changeHeaders } },
    ),
    errors: ['E111', 'E112', 'E114', 'E115', 'E116', 'E901'],
    noDataKey: 'errorCode',
    run: (ctx, request) => {
      switch (request.path['retrieve-type']) {
        case 'list':
          return retrieveList(ctx, request, false);
        case 'count':
          return retrieveCount(ctx, request);
        case 'list-latest':
          return retrieveLatest(ctx, request);
        default:
          throw new AppError('E111');
      }
    },
    explain: (request) => {
      switch (request.path['retrieve-type']) {
        case 'list':
          return explainFeedList(request, 'feeds');
        case 'count':
          return explainFeedCount(request);
        case 'list-latest':
          return explainFeedChanges(request);
        default:
          throw new AppError('E111');
      }
    },
  },
  {
    method: 'GET',
    path: '/task/v1/feeds/list/tasks',
    operation: 'listTasks',
    family: 'task',
    summary: 'Lists the tasks of the session user: as list, with the view forced to task view.',
    parameters: describeParameters(feedRequest)
      .filter(({ name }) => modesOf(name).includes('list'))
      .map((row) =>
        forcedViews.has(row.name)
          ? { ...row, description: 'Accepted and ignored: the answer has the tasks of your view.' }
          : row,
      ),
    answer: jsonAnswer(feedListShape, feedListExample, { headers: listHeaders }),
    errors: ['E112', 'E901'],
    noDataKey: 'errorCode',
    run: (ctx, request) => retrieveList(ctx, request, true),
    explain: (request) => explainFeedList(request, 'tasks'),
  },
];

async function retrieveList(
  ctx: SignedInContext,
  request: RestRequest,
  tasksOnly: boolean,
): Promise<RestReply> {
  const { read, page, fields, unknown, ...selection } = readListRequest(request, tasksOnly);
  const result = await listFeeds(ctx, {
    tasksOnly,
    page,
    columns: fields,
    probe: true,
    ...selection,
  });
  const headers = {
    ...read.headers(),
    ...ignoredProjections(unknown),
  };
  const [first, last] = [result.rows[0], result.rows.at(-1)];
  if (!first || !last) throw new AppError('E404', { headers });
  const next = result.hasNextPage ? result.cursor(last) : null;
  const previous = result.hasPreviousPage ? result.cursor(first) : null;
  const more = page.backward ? previous !== null : next !== null;
  const after = `,"next_cursor":${JSON.stringify(next)},"previous_cursor":${JSON.stringify(previous)},"has_more":${more},"last_fetch_time":${result.lastFetchTime}}`;
  return {
    headers,
    body: presentFeeds(result.rows, fields, '{"status":"OK","feed_details":', after),
  };
}

async function retrieveCount(ctx: SignedInContext, request: RestRequest): Promise<RestReply> {
  const { read, ...args } = readCountRequest(request);
  const { priorities, total } = await countFeeds(ctx, args);
  if (total === 0) throw new AppError('E404', { headers: read.headers() });
  const items = priorities.map(({ priority, description, count }) => ({
    priority,
    priority_desc: description,
    count,
  }));
  return {
    headers: read.headers(),
    body: JSON.stringify({ status: 'OK', count_data: { priorities: items, total } }),
  };
}

/** Most keys in X-Removed-Feed-Keys (D-45). */
const MAX_REMOVED = 200;

async function retrieveLatest(ctx: SignedInContext, request: RestRequest): Promise<RestReply> {
  const { read, fields, unknown, ...args } = readLatestRequest(request);
  const result = await listFeedChanges(ctx, {
    ...args,
    limit: MAX_CHANGES,
    maxRemoved: MAX_REMOVED,
    columns: fields,
  });
  if (result.resync)
    throw new AppError('E116', { message: result.resync.reason, headers: read.headers() });
  const feeds = result.events.flatMap((event) => (event.kind === 'upserted' ? [event.feed] : []));
  const removed = result.events.flatMap((event) =>
    event.kind === 'removed' ? [event.feedKey] : [],
  );
  const headers = {
    ...read.headers(),
    ...ignoredProjections(unknown),
    'x-resume-cursor': result.endCursor,
    'x-next-poll-after': String(result.nextPollAfterMs),
    // Only the cursor continues a truncated reply: from_time would skip what it leaves out.
    ...(result.hasMore
      ? { 'x-result-truncated': 'true' }
      : { 'x-last-fetch-time': String(result.lastFetchTime) }),
    ...(removed.length > 0 && { 'x-removed-feed-keys': removed.join(',') }),
  };
  if (feeds.length === 0) throw new AppError('E404', { headers });
  return { headers, body: presentFeeds(feeds, fields, '{"status":"OK","feed_list_latest":', '}') };
}

function ignoredProjections(unknown: readonly string[]): Record<string, string> {
  const names = namesInHeader(unknown);
  return names ? { 'x-ignored-projections': names } : {};
}
