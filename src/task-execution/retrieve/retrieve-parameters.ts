import { AppError } from '../../core/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type PageRequest } from '../../core/lists/pagination.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import type { RequestFacts } from '../../core/rest/route.ts';
import { type Day, parseDay } from '../../core/time/days.ts';
import type { ListFeedChangesArgs } from '../changes/list-feed-changes.ts';
import {
  defaultFeedFields,
  feedFieldNames,
  isFeedFieldName,
  type FeedFieldName,
} from '../feeds/fields/feed-fields.ts';
import type { FeedFilter } from '../feeds/selection/feed-filter.sql.ts';
import type { FeedOrder } from '../feeds/selection/feed-order.ts';
import { readOrder } from '../feeds/selection/order-parameters.ts';
import { feedRequest, readFeedFilter } from './feed-parameters.ts';

/** The requested fields, and the unknown names. */
interface Projections {
  fields: readonly FeedFieldName[];
  unknown: string[];
}

interface ListRequest extends Projections {
  read: ParameterReader;
  page: PageRequest;
  filterId: string | undefined;
  filter: FeedFilter;
  orderBy: FeedOrder[];
}

/** Reads the parameters of `list`, or of `list/tasks`. Throws E112. */
export function readListRequest(request: RequestFacts, isTaskView: boolean): ListRequest {
  const read = new ParameterReader(request, request.query);
  const page = readPage(read);
  const projections = readProjections(read);
  const filterId = read.sentText('filter_id');
  const isReplaced = filterId !== undefined;
  const filter = readFeedFilter(read, 'list', { isReplaced, isTaskView });
  const orderBy = readOrder(read);
  read.finish();
  return { read, page, ...projections, filterId, filter, orderBy };
}

/** Reads the parameters of `count`. Throws E114 and E115. */
export function readCountRequest(request: RequestFacts): {
  read: ParameterReader;
  startDate: Day;
  endDate: Day;
  filter: FeedFilter;
} {
  const read = new ParameterReader(request, request.query);
  const startDate = parseDay(read.text('start_date')?.trim() ?? '');
  if (startDate === undefined) throw new AppError('E114');
  const endDate = parseDay(read.text('end_date')?.trim() ?? '');
  if (endDate === undefined) throw new AppError('E115');
  const filter = readFeedFilter(read, 'count');
  read.finish();
  return { read, startDate, endDate, filter };
}

type LatestRequest = Projections & { read: ParameterReader } & Pick<
    ListFeedChangesArgs,
    'filter' | 'filterId' | 'endsFrom' | 'feedKeys' | 'since'
  >;

/**
 * Reads the parameters of `list-latest`. The request header X-Resume-Cursor, with the value of the last reply, replaces
 * from_time; then no change comes twice.
 */
export function readLatestRequest(request: RequestFacts): LatestRequest {
  const read = new ParameterReader(request, request.query);
  const projections = readProjections(read);
  const filterId = read.sentText('filter_id');
  const endsFrom = read.get(feedRequest, 'today_from');
  const fromTime = read.get(feedRequest, 'from_time') ?? 0;
  const feedKeys = read.get(feedRequest, 'feed_keys');
  const filter = readFeedFilter(read, 'list-latest', { isReplaced: filterId !== undefined });
  read.finish();
  const cursor = request.headers['x-resume-cursor'];
  const since = typeof cursor === 'string' && cursor !== '' ? { cursor } : { fromTime };
  return { read, ...projections, filterId, endsFrom, feedKeys, filter, since };
}

/** limit, starting_after, ending_before (D-06, D-17). Throws E112 when both cursors are sent. */
function readPage(read: ParameterReader): PageRequest {
  const after = read.sentText('starting_after');
  const before = read.sentText('ending_before');
  if (after !== undefined && before !== undefined) throw new AppError('E112');
  const limit = read.get(feedRequest, 'limit') ?? DEFAULT_PAGE_SIZE;
  return {
    limit: limit < 1 ? DEFAULT_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE),
    backward: before !== undefined,
    cursor: after ?? before,
  };
}

/** The fields to return, in document order, with feed_key always first (D-13), and the unknown names. */
function readProjections(read: ParameterReader): Projections {
  const given = read.sentText('projections');
  if (given === undefined) return { fields: defaultFeedFields, unknown: [] };
  const names = new Set(given.split(',').map((name) => name.trim()));
  const unknown = [...names].filter((name) => !isFeedFieldName(name));
  if (unknown.length > 0) read.ignore('projections', 'names fields that do not exist');
  return {
    fields: feedFieldNames.filter((name) => name === 'feed_key' || names.has(name)),
    unknown,
  };
}
