import { parseInt32, parseInt64, type ParameterReader } from '../../core/rest/parameters.ts';
import { MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE, type PageRequest } from '../../core/lists/pagination.ts';
import { AppError } from '../../core/errors.ts';
import type { RouteParameter } from '../../core/rest/route.ts';
import { fold } from '../../core/text.ts';
import { parseDay } from '../../core/time.ts';
import {
  defaultFeedFields,
  feedFieldNames,
  isFeedFieldName,
  type FeedFieldName,
} from './feed-fields.ts';
import { feedStatuses, type FeedFilter, type FeedStatus } from './feed-filter.ts';
import { feedOrderFields, parseFeedOrderField, type FeedOrder } from './feed-order.ts';

/** The documented modes of GET /task/v1/feeds/{retrieve-type}. */
export const retrieveTypes = ['list', 'count', 'list-latest'] as const;
export type RetrieveType = (typeof retrieveTypes)[number];

type Parameter = RouteParameter & { modes: readonly RetrieveType[] };

const everywhere = retrieveTypes;
const paging = ['list'] as const;
const rows = ['list', 'list-latest'] as const;
const filtered = ['list', 'count'] as const;

function parameter(
  name: string,
  modes: readonly RetrieveType[],
  schema: RouteParameter['schema'],
  description: string,
  more: Pick<Parameter, 'required' | 'example'> = {},
): Parameter {
  return { name, in: 'query', modes, schema, description, ...more };
}

const text = { type: 'string' } as const;
const triState = { type: 'integer', enum: [-1, 0, 1], default: -1 } as const;
const int64 = { type: 'integer', format: 'int64', default: 0 } as const;

/** The documented query parameters, in document order, with the modes in which each counts (F115). */
export const feedParameters: readonly Parameter[] = [
  parameter(
    'projections',
    rows,
    text,
    'Comma-separated field names; without it the 36 default fields.',
    { example: 'feed_title,status,priority' },
  ),
  parameter(
    'limit',
    paging,
    { type: 'integer', default: DEFAULT_PAGE_SIZE, minimum: 1, maximum: MAX_PAGE_SIZE },
    'Rows a page; below 1 becomes 20, above 100 becomes 100.',
  ),
  parameter('starting_after', paging, text, 'Opaque cursor: the page after it.'),
  parameter('ending_before', paging, text, 'Opaque cursor: the page before it.'),
  parameter('start_date', ['count'], text, 'First day, yyyyMMdd.', {
    required: true,
    example: '20261116',
  }),
  parameter('end_date', ['count'], text, 'Last day, yyyyMMdd.', {
    required: true,
    example: '20261122',
  }),
  parameter(
    'today_from',
    ['list-latest'],
    int64,
    'Epoch ms: feeds that ended before are left out.',
  ),
  parameter('from_time', ['list-latest'], int64, 'Epoch ms of the last fetch.'),
  parameter(
    'feed_keys',
    ['list-latest'],
    text,
    'Comma-separated feed keys to restrict the answer to.',
  ),
  parameter(
    'selected_dates',
    rows,
    text,
    'Comma-separated yyyyMMdd; a feed matches if it overlaps one of these days.',
    { example: '20261120,20261121' },
  ),
  parameter(
    'cut_off_time',
    filtered,
    int64,
    'Epoch ms: feeds that end before are left out; 0 is off.',
  ),
  parameter('pin', everywhere, triState, '-1 all, 0 not pinned, 1 pinned.'),
  parameter('favorite', everywhere, triState, '-1 all, 0 not, 1 favorite.'),
  parameter('follow', everywhere, triState, '-1 all, 0 not, 1 followed.'),
  parameter('message_type', everywhere, text, 'Comma-separated message types, any of.'),
  parameter('status', everywhere, text, 'Comma-separated status codes N, R, P, O, C, F, E.', {
    example: 'N,O',
  }),
  parameter('priority', everywhere, text, 'Comma-separated priority numbers.', { example: '1,2' }),
  parameter(
    'feed_title',
    everywhere,
    text,
    'Case-insensitive substring of the title; URL-encoded input is decoded.',
  ),
  parameter(
    'acknowledge_flag',
    everywhere,
    triState,
    '-1 all, 0 not acknowledged, 1 acknowledged.',
  ),
  parameter('promote_to_note_flag', everywhere, triState, '-1 all, 0 not, 1 promoted to a note.'),
  parameter(
    'com_attr_val',
    everywhere,
    text,
    'Comma-separated values of common attributes, any of.',
  ),
  parameter(
    'msg_attr_val',
    everywhere,
    text,
    'Comma-separated values of message attributes, any of.',
  ),
  parameter(
    'view_type',
    everywhere,
    { type: 'string', enum: ['MV', 'DV', 'SV'], default: 'MV' },
    'MV my view, DV department view, SV store view.',
  ),
  parameter(
    'task_view',
    everywhere,
    { type: 'string', enum: ['P', 'T'], default: 'P' },
    'P project view, T task view.',
  ),
  parameter('return_type', filtered, text, 'Accepted and ignored.'),
  parameter('feed_type_id', everywhere, text, 'Comma-separated feed type ids, any of.'),
  parameter('tags', everywhere, text, 'Comma-separated tags, any of.'),
  parameter(
    'sort_by',
    paging,
    text,
    'Comma-separated: profileId, endDateTime, priority, startDateTime, feedTitle, feedTypeId.',
    { example: 'priority,endDateTime' },
  ),
  parameter('sort_order', paging, text, 'Comma-separated A or D, one for each sort column.', {
    example: 'A,D',
  }),
  parameter(
    'return_format',
    paging,
    { type: 'string', default: 'J' },
    'J (JSON); accepted and ignored.',
  ),
  parameter(
    'filter_id',
    rows,
    text,
    'A system filter, which replaces the other filter parameters.',
  ),
  parameter(
    'week_dates',
    rows,
    text,
    'Comma-separated yyyyMMdd; as selected_dates, and both must hold.',
  ),
];

/** Names the parameters that the document ignores in this mode, so that the client hears of it. */
export function ignoreOtherModes(read: ParameterReader, mode: RetrieveType): void {
  for (const { name, modes } of feedParameters)
    if (!modes.includes(mode)) read.documentedAsIgnored(name);
  read.documentedAsIgnored('return_type');
  read.documentedAsIgnored('return_format');
}

/** The filter parameters that all modes share; those of one mode only are read where they count. */
export function readFeedFilter(read: ParameterReader, mode: RetrieveType): FeedFilter {
  const token = (value: string): string => value;
  const days = (name: string): string[] | undefined =>
    mode === 'count' ? undefined : read.list(name, parseDay, 'a day yyyyMMdd');
  const title = read.filterText('feed_title');
  return {
    selectedDates: days('selected_dates'),
    weekDates: days('week_dates'),
    cutOffTime:
      mode === 'list-latest'
        ? undefined
        : read.optional('cut_off_time', parseInt64, 'epoch milliseconds'),
    pin: read.triState('pin'),
    favorite: read.triState('favorite'),
    follow: read.triState('follow'),
    messageTypes: read.list('message_type', token, 'a message type'),
    statuses: read.list('status', parseStatus, 'one of N, R, P, O, C, F, E'),
    priorities: read.list('priority', parseInt32, 'an integer'),
    feedTitle: title === undefined ? undefined : decodeOnceMore(title),
    acknowledged: read.triState('acknowledge_flag'),
    promotedToNote: read.triState('promote_to_note_flag'),
    comAttrValues: read.list('com_attr_val', token, 'a value'),
    msgAttrValues: read.list('msg_attr_val', token, 'a value'),
    view: read.optional(
      'view_type',
      (value) => (value === 'MV' || value === 'DV' || value === 'SV' ? value : undefined),
      'MV, DV or SV',
    ),
    taskView: read.optional(
      'task_view',
      (value) => (value === 'P' || value === 'T' ? value : undefined),
      'P or T',
    ),
    feedTypeIds: read.list('feed_type_id', token, 'a feed type id'),
    tags: read.list('tags', token, 'a tag'),
  };
}

/** limit, starting_after, ending_before (D-06, D-17). Throws E112 when both cursors are sent. */
export function readPage(read: ParameterReader): PageRequest {
  const after = read.text('starting_after');
  const before = read.text('ending_before');
  if (after !== undefined && before !== undefined) throw new AppError('E112');
  const limit =
    read.optional(
      'limit',
      (value) => (/^[+-]?\d+$/.test(value) ? Number(value) : undefined),
      'an integer',
    ) ?? DEFAULT_PAGE_SIZE;
  return {
    limit: limit < 1 ? DEFAULT_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE),
    backward: before !== undefined,
    cursor: after ?? before,
  };
}

/** sort_by and sort_order (D-28, D-29): unknown columns are dropped, missing and unusable directions become A. */
export function readOrder(read: ParameterReader): FeedOrder[] {
  const columns = (read.text('sort_by') ?? '').split(',').map((name) => name.trim());
  const directions = (read.text('sort_order') ?? '')
    .split(',')
    .map((value) => value.trim().toUpperCase());
  if (!columns.some((name) => name !== '')) {
    if (read.sent('sort_order')) read.ignore('sort_order', 'goes with sort_by');
    return [];
  }
  if (
    directions.some((value) => value !== 'A' && value !== 'D' && value !== '') ||
    directions.length > columns.length
  )
    read.ignore('sort_order', 'must be A or D, one for each sort column');
  return columns.flatMap((name, index) => {
    const field = parseFeedOrderField(name);
    if (!field)
      read.ignore('sort_by', `must name columns of ${feedOrderFields.length} documented ones`);
    return field
      ? [{ field, direction: directions[index] === 'D' ? ('DESC' as const) : ('ASC' as const) }]
      : [];
  });
}

/** The fields to return, in document order, with feed_key always first (D-13), and the names that are none. */
export function readProjections(read: ParameterReader): {
  fields: readonly FeedFieldName[];
  unknown: string[];
} {
  const given = read.text('projections');
  if (given === undefined) return { fields: defaultFeedFields, unknown: [] };
  const names = new Set(given.split(',').map((name) => name.trim()));
  const unknown = [...names].filter((name) => !isFeedFieldName(name));
  if (unknown.length > 0) read.ignore('projections', 'names fields that do not exist');
  return {
    fields: feedFieldNames.filter((name) => name === 'feed_key' || names.has(name)),
    unknown,
  };
}

function parseStatus(value: string): FeedStatus | undefined {
  return feedStatuses.find((status) => status === value.toUpperCase());
}

/** Titles may arrive encoded twice: decoded once more if that works out, else kept as it is (D-33). */
function decodeOnceMore(title: string): string {
  if (!/%[0-9a-f]{2}/i.test(title)) return title;
  try {
    const decoded = decodeURIComponent(title);
    return fold(decoded) === '' ? title : decoded;
  } catch {
    return title;
  }
}
