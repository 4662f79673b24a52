import { MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { RequestFacts, Translation } from '../../core/rest/route.ts';
import { currentGraphqlName, type FeedFieldName } from '../feeds/fields/feed-fields.ts';
import type { FeedFilter } from '../feeds/selection/feed-filter.sql.ts';
import { readCountRequest, readLatestRequest, readListRequest } from './retrieve-parameters.ts';

/** Translates `list` and `list/tasks` to GraphQL: `viewer.feeds` and `viewer.tasks`. */
export function explainFeedList(request: RequestFacts, field: 'feeds' | 'tasks'): Translation {
  const { read, page, fields, filterId, filter, orderBy } = readListRequest(
    request,
    field === 'tasks',
  );
  const { limit, backward, cursor } = page;
  const paging = backward ? { last: limit, before: cursor } : { first: limit, after: cursor };
  const sent = read.text('limit');
  return {
    steps: [
      { field: 'viewer' },
      {
        field,
        args: {
          ...paging,
          ...narrowing(filterId, filter),
          orderBy: orderBy.length > 0 ? orderBy : undefined,
        },
      },
    ],
    select: `nodes { ${feedSelection(fields)} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } lastFetchTime`,
    ignored: read.ignored(),
    notes: [
      filterId !== undefined && replaced,
      sent !== undefined &&
        /^[+-]?\d+$/.test(sent.trim()) &&
        Number(sent) !== limit &&
        `limit ${sent.trim().slice(0, 24)} is out of range: ${limit} counts.`,
      'An answer with E404 in REST is an empty list in GraphQL.',
    ],
  };
}

/** Translates `count` to GraphQL: `viewer.feedCounts`. */
export function explainFeedCount(request: RequestFacts): Translation {
  const { read, startDate, endDate, filter } = readCountRequest(request);
  return {
    steps: [
      { field: 'viewer' },
      { field: 'feedCounts', args: { startDate, endDate, ...narrowing(undefined, filter) } },
    ],
    select: 'priorities { priority priorityDesc count } total',
    ignored: read.ignored(),
    notes: ['An answer with E404 in REST is a total of 0 in GraphQL.'],
  };
}

/** Translates `list-latest` to GraphQL: `viewer.feedChanges`. */
export function explainFeedChanges(request: RequestFacts): Translation {
  const { read, fields, filterId, filter, endsFrom, feedKeys, since } = readLatestRequest(request);
  const from =
    'cursor' in since
      ? { after: since.cursor }
      : since.fromTime > 0
        ? { fromTime: since.fromTime }
        : {};
  return {
    steps: [
      { field: 'viewer' },
      {
        field: 'feedChanges',
        args: {
          ...from,
          first: MAX_PAGE_SIZE,
          ...narrowing(filterId, filter ?? {}),
          feedKeys,
          endsFrom,
        },
      },
    ],
    select: `edges { node { __typename ... on FeedUpserted { feed { ${feedSelection(fields)} } } ... on FeedRemoved { feedKey } ... on ResyncRequired { reason legacyCode } } } endCursor hasMore nextPollAfterMs`,
    ignored: read.ignored(),
    notes: [
      filterId !== undefined && replaced,
      `GraphQL gives ${MAX_PAGE_SIZE} changes at once, REST 1000: while hasMore, ask again with the endCursor as after.`,
      'E116 in REST is a ResyncRequired in GraphQL; a subscription to feedChanged replaces polling.',
    ],
  };
}

const replaced = 'filter_id stands for the other filter parameters: they are left out.';

/** The filter, if it has any restriction; a system filter replaces it. */
function narrowing(
  filterId: string | undefined | null,
  filter: FeedFilter,
): { filterId?: string; filter?: FeedFilter } {
  if (filterId) return { filterId };
  return Object.values(filter).some((value) => value != null) ? { filter } : {};
}

function feedSelection(fields: readonly FeedFieldName[]): string {
  return [...new Set(fields.map(currentGraphqlName))].join(' ');
}
