import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import type { RouteParameter } from '../../core/rest/route.ts';

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
  table: string | Pick<Parameter, 'description' | 'required' | 'example'>,
): Parameter {
  const more = typeof table === 'string' ? { description: table } : table;
  return { name, in: 'query', modes, schema, ...more };
}

const text = { type: 'string' } as const;
const triState = { type: 'integer', enum: [-1, 0, 1], default: -1 } as const;
const int64 = { type: 'integer', format: 'int64', default: 0 } as const;

/** The documented query parameters, in document order, with the modes in which each counts (F115). */
export const feedParameters: readonly Parameter[] = [
  parameter('projections', rows, text, {
    description: 'Comma-separated field names; without it the 36 default fields.',
    example: 'feed_title,status,priority',
  }),
  parameter(
    'limit',
    paging,
    { type: 'integer', default: DEFAULT_PAGE_SIZE, minimum: 1, maximum: MAX_PAGE_SIZE },
    'Rows a page; below 1 becomes 20, above 100 becomes 100.',
  ),
  parameter('starting_after', paging, text, 'Opaque cursor: the page after it.'),
  parameter('ending_before', paging, text, 'Opaque cursor: the page before it.'),
  parameter('start_date', ['count'], text, {
    description: 'First day, yyyyMMdd.',
    required: true,
    example: '20261116',
  }),
  parameter('end_date', ['count'], text, {
    description: 'Last day, yyyyMMdd.',
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
  parameter('selected_dates', rows, text, {
    description: 'Comma-separated yyyyMMdd; a feed matches if it overlaps one of these days.',
    example: '20261120,20261121',
  }),
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
  parameter('status', everywhere, text, {
    description: 'Comma-separated status codes N, R, P, O, C, F, E.',
    example: 'N,O',
  }),
  parameter('priority', everywhere, text, {
    description: 'Comma-separated priority numbers.',
    example: '1,2',
  }),
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
  parameter('sort_by', paging, text, {
    description:
      'Comma-separated: profileId, endDateTime, priority, startDateTime, feedTitle, feedTypeId.',
    example: 'priority,endDateTime',
  }),
  parameter('sort_order', paging, text, {
    description: 'Comma-separated A or D, one for each sort column.',
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
