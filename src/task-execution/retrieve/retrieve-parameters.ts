import { AppError } from '../../core/errors.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { ParameterReader } from '../../core/rest/parameters.ts';
import type { RequestFacts } from '../../core/rest/route.ts';
import { parseDay, type Day } from '../../core/time.ts';
import type { ListFeedChangesArgs } from '../changes/list-feed-changes.ts';
import type { FeedFieldName } from '../feeds/fields/feed-fields.ts';
import type { FeedFilter } from '../feeds/selection/feed-filter.ts';
import type { FeedOrder } from '../feeds/selection/feed-order.ts';
import { readOrder } from '../feeds/selection/order-parameters.ts';
import { feedRequest } from './feed-parameters.ts';
import { ignoreOtherModes, readFeedFilter, readPage, readProjections } from './read-parameters.ts';

/** The fields asked for, and the names that are none. */
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

/** Reads the parameters of `list` and `list/tasks`. Throws E112. */
export function readListRequest(request: RequestFacts): ListRequest {
  const read = new ParameterReader(request, request.query);
  ignoreOtherModes(read, 'list');
  const page = readPage(read);
  const projections = readProjections(read);
  const filterId = read.text('filter_id');
  const filter = readFeedFilter(read, 'list');
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
  ignoreOtherModes(read, 'count');
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
 * Reads the parameters of `list-latest`. The request header X-Resume-Cursor takes the place of from_time: it repeats that of the last reply, and then
 * nothing comes twice.
 */
export function readLatestRequest(request: RequestFacts): LatestRequest {
  const read = new ParameterReader(request, request.query);
  ignoreOtherModes(read, 'list-latest');
  const projections = readProjections(read);
  const filterId = read.text('filter_id');
  const endsFrom = read.get(feedRequest, 'today_from');
  const fromTime = read.get(feedRequest, 'from_time') ?? 0;
  const feedKeys = read.get(feedRequest, 'feed_keys');
  const filter = readFeedFilter(read, 'list-latest');
  read.finish();
  const cursor = request.headers['x-resume-cursor'];
  const since = typeof cursor === 'string' && cursor !== '' ? { cursor } : { fromTime };
  return { read, ...projections, filterId, endsFrom, feedKeys, filter, since };
}
