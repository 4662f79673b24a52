import * as z from 'zod';
import { parseInstant, parseInt32, type ParameterReader } from '../../core/rest/parameters.ts';
import { listOf, oneOf, valueOf } from '../../core/rest/parameter-values.ts';
import { queryParameter as query } from '../../core/rest/request-schema.ts';
import { addDays, countDays, parseDay } from '../../core/time/days.ts';
import { AppError } from '../../core/errors.ts';
import { parseFeedStatus } from '../terms/feed-status.ts';
import { readOrder } from '../feeds/selection/order-parameters.ts';
import {
  feedOrderNames,
  parseFeedOrderField,
  type FeedOrder,
} from '../feeds/selection/feed-order.ts';
import {
  type CalendarFilter,
  calendarLayouts,
  type CalendarRange,
  type CalendarSource,
  calendarSources,
} from './calendar-filter.ts';
import { isSortable, MAX_RANGE_DAYS, type CalendarArgs } from './open-calendar.ts';

const texts = (expected: string): z.ZodType<string[], string[]> =>
  listOf((token) => token, expected);
const sortColumn = (): z.ZodType<FeedOrder['field'], string> =>
  valueOf(parseFeedOrderField, `one of ${feedOrderNames.join(', ')}`);
const sortDirection = (): z.ZodType<'ASC' | 'DESC', string> =>
  valueOf((text) => (text === '1' ? 'ASC' : text === '-1' ? 'DESC' : undefined), '1 or -1', {
    type: 'integer',
    enum: [1, -1],
    default: 1,
  });

/** The documented query parameters, in document order. */
export const calendarRequest = z.object({
  source_id: query(oneOf(calendarSources), 'Which calendar.', {
    required: true,
    example: 'CALENDAR',
  }),
  from_date: query(z.string(), 'First day, yyyyMMdd.', {
    required: true,
    example: (today) => addDays(today, -1),
  }),
  to_date: query(z.string(), 'Last day, yyyyMMdd.', {
    required: true,
    example: (today) => addDays(today, 1),
  }),
  cal_layout: query(
    oneOf(calendarLayouts, { default: 'M' }),
    'M month, W week, D day, P pinboard (only pinned feeds); a system filter may override it.',
  ),
  return_type: query(z.string().meta({ default: 'CAL' }), 'Accepted and ignored.'),
  cut_off_time: query(
    valueOf(parseInstant, 'epoch milliseconds', { type: 'integer', format: 'int64', default: 0 }),
    'CALENDAR: epoch ms, feeds that end before are left out; 0 is off.',
  ),
  home_dept_id: query(
    listOf(parseInt32, 'a department id'),
    'Comma-separated; those of your home departments whose confidential items you want to see. Default: all.',
  ),
  view_type: query(
    oneOf(['SV', 'DV', 'MV']).meta({ enum: undefined }),
    "SV: your unit's (store's) items. Anything else: the session's current view.",
  ),
  message_type: query(texts('a message type'), 'Comma-separated message types, any of.'),
  sort_by: query(z.string(), 'Comma-separated column names; CALENDAR and STORE_PROJECTS.'),
  sort_order: query(z.string(), 'Comma-separated A or D, one for each sort_by column.'),
  week_dates: query(
    listOf(parseDay, 'a day yyyyMMdd'),
    'Comma-separated yyyyMMdd; an item matches if it overlaps one of these days.',
  ),
  status: query(
    listOf(parseFeedStatus, 'one of N, R, P, O, C, F, E'),
    'Comma-separated status codes N, R, P, O, C, F, E.',
  ),
  feed_type_id: query(texts('a feed type id'), 'Comma-separated feed type ids, any of.'),
  priority: query(listOf(parseInt32, 'an integer'), 'Comma-separated priority numbers.'),
  local_projects: query(
    oneOf(['Y', 'N', 'A'], { default: 'N' }),
    'Y local only, N non-local only, A all; the two project sources.',
  ),
  active_projects: query(oneOf(['Y', 'N']), 'Y active only, N all; STORE_PROJECTS.'),
  cal_filter_exc_level: query(z.string(), 'Executor level.'),
  cal_filter_unit: query(listOf(parseInt32, 'a unit id'), 'Comma-separated unit ids.'),
  cal_filter_org_level: query(z.string(), 'Organisation level.'),
  feed_title: query(z.string(), 'Case-insensitive substring of the title.'),
  favorite: query(z.string(), '1: favorites only.'),
  tags: query(texts('a tag'), 'Comma-separated tags, any of.'),
  filter_id: query(
    z.string(),
    'A system filter. When it resolves it filters too, gives the layout, and adds layout, calendarType and selectedDates.',
  ),
  p_requestor_level: query(z.string(), 'Requestor level; the text null means none.'),
  p_sort_column_1: query(sortColumn(), 'Sort column 1; counts when sort_by is absent.'),
  p_sort_column_2: query(sortColumn(), 'Sort column 2; counts when sort_by is absent.'),
  p_sort_column_3: query(sortColumn(), 'Sort column 3; counts when sort_by is absent.'),
  p_sort_column_order_1: query(sortDirection(), '1 ascending, -1 descending.'),
  p_sort_column_order_2: query(sortDirection(), '1 ascending, -1 descending.'),
  p_sort_column_order_3: query(sortDirection(), '1 ascending, -1 descending.'),
});

/** Names of the numbered sort columns, with their directions. */
const numberedColumns = [
  ['p_sort_column_1', 'p_sort_column_order_1'],
  ['p_sort_column_2', 'p_sort_column_order_2'],
  ['p_sort_column_3', 'p_sort_column_order_3'],
] as const;

/** Reads all parameters of a calendar. Throws E140, E142, E143, E147 in the order of D-03 and D-21. */
export function readCalendarParameters(read: ParameterReader): CalendarArgs {
  const range = readRange(read);
  const { source } = range;
  read.documentedAsIgnored('return_type');
  if (source !== 'STORE_PROJECTS') read.documentedAsIgnored('active_projects');
  if (source === 'CALENDAR' || source === 'STORE_WALK_CAL')
    read.documentedAsIgnored('local_projects');
  if (source !== 'CALENDAR') read.documentedAsIgnored('cut_off_time');
  const layout = read.get(calendarRequest, 'cal_layout');
  return {
    ...range,
    layout,
    filter: readFilter(read, source),
    filterId: read.text('filter_id'),
    orderBy: readCalendarOrder(read, source),
  };
}

/** The bounds are compared as text before they are validated as days, as documented (D-21). */
function readRange(read: ParameterReader): Pick<CalendarRange, 'source' | 'from' | 'to'> {
  const source = read.get(calendarRequest, 'source_id');
  if (!source) throw new AppError('E140');
  const from = read.text('from_date')?.trim();
  if (!from) throw new AppError('E142');
  const to = read.text('to_date')?.trim();
  if (!to) throw new AppError(parseDay(from) === undefined ? 'E142' : 'E143');
  if (from > to) throw new AppError('E147');
  if (parseDay(from) === undefined) throw new AppError('E142');
  if (parseDay(to) === undefined) throw new AppError('E143');
  if (countDays(from, to) <= MAX_RANGE_DAYS) return { source, from, to };
  read.ignore(
    'to_date',
    `must be at most ${MAX_RANGE_DAYS} days after from_date: the range is cut`,
  );
  return { source, from, to: addDays(from, MAX_RANGE_DAYS - 1) };
}

function readFilter(read: ParameterReader, source: CalendarSource): CalendarFilter {
  const requestorLevel = read.sentText('p_requestor_level');
  const favorite = read.text('favorite')?.trim();
  if (favorite !== undefined && !/^(-1|0|1)$/.test(favorite)) read.ignore('favorite', 'must be 1');
  return {
    cutOffTime: source === 'CALENDAR' ? read.get(calendarRequest, 'cut_off_time') : undefined,
    homeDeptIds: read.get(calendarRequest, 'home_dept_id'),
    view: read.get(calendarRequest, 'view_type'),
    messageTypes: read.get(calendarRequest, 'message_type'),
    weekDates: read.get(calendarRequest, 'week_dates'),
    statuses: read.get(calendarRequest, 'status'),
    feedTypeIds: read.get(calendarRequest, 'feed_type_id'),
    priorities: read.get(calendarRequest, 'priority'),
    localProjects:
      source === 'CALENDAR' || source === 'STORE_WALK_CAL'
        ? undefined
        : read.get(calendarRequest, 'local_projects'),
    activeOnly:
      source === 'STORE_PROJECTS'
        ? read.get(calendarRequest, 'active_projects') === 'Y'
        : undefined,
    execLevel: read.sentText('cal_filter_exc_level'),
    unitIds: read.get(calendarRequest, 'cal_filter_unit'),
    orgLevel: read.sentText('cal_filter_org_level'),
    feedTitle: read.sentText('feed_title'),
    favorite: favorite === '1',
    tags: read.get(calendarRequest, 'tags'),
    requestorLevel: requestorLevel?.trim().toLowerCase() === 'null' ? undefined : requestorLevel,
  };
}

/** sort_by with sort_order, else the three p_sort_column (D-28); columns that the source can't sort by are dropped. */
function readCalendarOrder(read: ParameterReader, source: CalendarSource): FeedOrder[] {
  const usesSortBy = (read.text('sort_by') ?? '').trim() !== '';
  const sortable = source === 'CALENDAR' || source === 'STORE_PROJECTS';
  for (const name of numberedColumns.flat())
    if (usesSortBy || !sortable) read.documentedAsIgnored(name);
  if (!sortable) {
    read.documentedAsIgnored('sort_by');
    read.documentedAsIgnored('sort_order');
    return [];
  }
  const order = readOrder(read);
  if (!usesSortBy) return numberedColumns.flatMap((names) => readNumbered(read, source, names));
  if (order.some(({ field }) => !isSortable(source, field)))
    read.ignore('sort_by', 'projects have no profile');
  return order.filter(({ field }) => isSortable(source, field));
}

function readNumbered(
  read: ParameterReader,
  source: CalendarSource,
  [column, order]: (typeof numberedColumns)[number],
): FeedOrder[] {
  const field = read.get(calendarRequest, column);
  const direction = read.get(calendarRequest, order) ?? 'ASC';
  if (field && isSortable(source, field)) return [{ field, direction }];
  if (read.text(order) !== undefined) read.ignore(order, `goes with ${column}`);
  if (field) read.ignore(column, 'projects have no profile');
  return [];
}
