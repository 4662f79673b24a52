import * as z from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../core/lists/pagination.ts';
import {
  parseInt32,
  parseInstant,
  parseInt64,
  type ParameterReader,
} from '../../core/rest/parameters.ts';
import { listOf, oneOf, valueOf } from '../../core/rest/parameter-values.ts';
import { parameter, type ParameterTable, tablesOf } from '../../core/rest/request-schema.ts';
import { addDays, parseDay } from '../../core/time/days.ts';
import { feedFilterTypes, type FeedFilter } from '../feeds/selection/feed-filter.sql.ts';
import * as values from '../feeds/selection/filter-values.ts';
import { parseFeedStatus } from '../terms/feed-status.ts';
import { decodeOnceMore } from './decode-once-more.ts';

/** The documented modes of GET /task/v1/feeds/{retrieve-type}. */
export const retrieveTypes = ['list', 'count', 'list-latest'] as const;
export type RetrieveType = (typeof retrieveTypes)[number];

const everywhere = retrieveTypes;
const paging = ['list'] as const;
const rows = ['list', 'list-latest'] as const;
const filtered = ['list', 'count'] as const;

function query<Type extends z.ZodType>(
  type: Type,
  modes: readonly RetrieveType[],
  about: string | Pick<ParameterTable, 'description' | 'required' | 'example'>,
): Type {
  const table = typeof about === 'string' ? { description: about } : about;
  return parameter(type, { in: 'query', modes, ...table });
}

/** Most feed keys that one poll may name. */
const MAX_FEED_KEYS = 10_000;

/** Reads each filter parameter into a filter. */
const readers = new Map<
  z.ZodType,
  (filter: FeedFilter, read: ParameterReader, name: string) => void
>();

/** A query parameter with the value of this filter. Text that can't be stored is kept, as it must match nothing (P3). */
function filterBy<Key extends keyof FeedFilter>(
  key: Key,
  type: z.ZodType<FeedFilter[Key]>,
  modes: readonly RetrieveType[],
  about: Parameters<typeof query>[2],
): typeof type {
  const isText = feedFilterTypes[key] === values.text;
  readers.set(type, (filter, read, name) => {
    if (!isText) filter[key] = read.value(name, type) ?? undefined;
    else {
      const text = read.sentText(name);
      if (text !== undefined) filter[key] = type.parse(text);
    }
  });
  return query(type, modes, about);
}

/** -1 all (null), 0 not, 1 yes (D-07). */
const triState = (): z.ZodType<boolean | null, string> =>
  valueOf(
    (text) => (text === '-1' ? null : text === '0' ? false : text === '1' ? true : undefined),
    '-1, 0 or 1',
    { type: 'integer', enum: [-1, 0, 1], default: -1 },
  );
const epochMillis = (): z.ZodType<number, string> =>
  valueOf(parseInstant, 'epoch milliseconds', { type: 'integer', format: 'int64', default: 0 });
const integer = (): z.ZodType<number, string> =>
  valueOf((text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined), 'an integer', {
    type: 'integer',
    default: DEFAULT_PAGE_SIZE,
    minimum: 1,
    maximum: MAX_PAGE_SIZE,
  });
const texts = (expected: string): z.ZodType<string[], string[]> =>
  listOf((token) => token, expected);
const days = (): z.ZodType<string[], string[]> => listOf(parseDay, 'a day yyyyMMdd');

/** The documented query parameters, in document order, with the modes in which each counts (F115). */
export const feedRequest = z.object({
  projections: query(z.string(), rows, {
    description: 'Comma-separated field names; without it the 36 default fields.',
    example: 'feed_title,status,priority',
  }),
  limit: query(integer(), paging, 'Rows a page; below 1 becomes 20, above 100 becomes 100.'),
  starting_after: query(z.string(), paging, 'Opaque cursor: the page after it.'),
  ending_before: query(z.string(), paging, 'Opaque cursor: the page before it.'),
  start_date: query(z.string(), ['count'], {
    description: 'First day, yyyyMMdd.',
    required: true,
    example: (today) => addDays(today, -3),
  }),
  end_date: query(z.string(), ['count'], {
    description: 'Last day, yyyyMMdd.',
    required: true,
    example: (today) => addDays(today, 3),
  }),
  today_from: query(
    epochMillis(),
    ['list-latest'],
    'Epoch ms: feeds that ended before are left out.',
  ),
  from_time: query(epochMillis(), ['list-latest'], 'Epoch ms of the last fetch.'),
  feed_keys: query(
    listOf(parseInt64, 'a feed key', MAX_FEED_KEYS),
    ['list-latest'],
    'Comma-separated feed keys to restrict the answer to.',
  ),
  selected_dates: filterBy('selectedDates', days(), rows, {
    description: 'Comma-separated yyyyMMdd; a feed matches if it overlaps one of these days.',
    example: (today) => `${today},${addDays(today, 1)}`,
  }),
  cut_off_time: filterBy(
    'cutOffTime',
    epochMillis(),
    filtered,
    'Epoch ms: feeds that end before are left out; 0 is off.',
  ),
  pin: filterBy('pinned', triState(), everywhere, '-1 all, 0 not pinned, 1 pinned.'),
  favorite: filterBy('favorite', triState(), everywhere, '-1 all, 0 not, 1 favorite.'),
  follow: filterBy('follow', triState(), everywhere, '-1 all, 0 not, 1 followed.'),
  message_type: filterBy(
    'messageTypes',
    texts('a message type'),
    everywhere,
    'Comma-separated message types, any of.',
  ),
  status: filterBy('statuses', listOf(parseFeedStatus, 'one of N, R, P, O, C, F, E'), everywhere, {
    description: 'Comma-separated status codes N, R, P, O, C, F, E.',
    example: 'N,O',
  }),
  priority: filterBy('priorities', listOf(parseInt32, 'an integer'), everywhere, {
    description: 'Comma-separated priority numbers.',
    example: '1,2',
  }),
  feed_title: filterBy(
    'feedTitle',
    valueOf(decodeOnceMore, 'a text'),
    everywhere,
    'Case-insensitive substring of the title; URL-encoded input is decoded.',
  ),
  acknowledge_flag: filterBy(
    'acknowledged',
    triState(),
    everywhere,
    '-1 all, 0 not acknowledged, 1 acknowledged.',
  ),
  promote_to_note_flag: filterBy(
    'promotedToNote',
    triState(),
    everywhere,
    '-1 all, 0 not, 1 promoted to a note.',
  ),
  com_attr_val: filterBy(
    'comAttrValues',
    texts('a value'),
    everywhere,
    'Comma-separated values of common attributes, any of.',
  ),
  msg_attr_val: filterBy(
    'msgAttrValues',
    texts('a value'),
    everywhere,
    'Comma-separated values of message attributes, any of.',
  ),
  view_type: filterBy(
    'view',
    oneOf(['MV', 'DV', 'SV'], { default: 'MV' }),
    everywhere,
    'MV my view, DV department view, SV store view.',
  ),
  task_view: filterBy(
    'taskView',
    oneOf(['P', 'T'], { default: 'P' }),
    everywhere,
    'P project view, T task view.',
  ),
  return_type: query(z.string(), filtered, 'Accepted and ignored.'),
  feed_type_id: filterBy(
    'feedTypeIds',
    texts('a feed type id'),
    everywhere,
    'Comma-separated feed type ids, any of.',
  ),
  tags: filterBy('tags', texts('a tag'), everywhere, 'Comma-separated tags, any of.'),
  sort_by: query(z.string(), paging, {
    description:
      'Comma-separated: profileId, endDateTime, priority, startDateTime, feedTitle, feedTypeId.',
    example: 'priority,endDateTime',
  }),
  sort_order: query(z.string(), paging, {
    description: 'Comma-separated A or D, one for each sort column.',
    example: 'A,D',
  }),
  return_format: query(
    z.string().meta({ default: 'J' }),
    paging,
    'J (JSON); accepted and ignored.',
  ),
  filter_id: query(
    z.string(),
    rows,
    'A system filter, which replaces the other filter parameters.',
  ),
  week_dates: filterBy(
    'weekDates',
    days(),
    rows,
    'Comma-separated yyyyMMdd; as selected_dates, and both must hold.',
  ),
});

const tables = tablesOf(feedRequest);
const parameters = Object.entries(feedRequest.shape).map(([name, type]) => ({
  name,
  modes: tables.get(name)?.modes,
  reader: readers.get(type),
}));

/** What `list/tasks` forces (D-37). */
export const forcedViews = new Set(['view_type', 'task_view']);

/**
 * Reads the filter, and reports the parameters that the document ignores in this mode, so that the client is told: all
 * that filter where a system filter takes their place, and the views where the view is forced.
 */
export function readFeedFilter(
  read: ParameterReader,
  mode: RetrieveType,
  { isReplaced = false, isTaskView = false } = {},
): FeedFilter {
  const filter: FeedFilter = {};
  for (const { name, modes, reader } of parameters)
    if (
      modes?.includes(mode) === false ||
      (reader && isReplaced) ||
      (isTaskView && forcedViews.has(name))
    )
      read.documentedAsIgnored(name);
    else reader?.(filter, read, name);
  read.documentedAsIgnored('return_type');
  read.documentedAsIgnored('return_format');
  return filter;
}
