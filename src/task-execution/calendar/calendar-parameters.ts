import { parseInt32, parseInt64, type ParameterReader } from '../../core/rest/parameters.ts';
import type { RouteParameter } from '../../core/rest/route.ts';
import { addDays, countDays, parseDay } from '../../core/time.ts';
import { AppError } from '../../core/errors.ts';
import { parseFeedStatus } from '../terms/feed-status.ts';
import { readOrder } from '../feeds/selection/order-parameters.ts';
import {
  feedOrderFields,
  parseFeedOrderField,
  type FeedOrder,
} from '../feeds/selection/feed-order.ts';
import {
  calendarLayouts,
  calendarSources,
  type CalendarFilter,
  type CalendarRange,
  type CalendarSource,
} from './calendar-filter.ts';
import { isSortable, MAX_RANGE_DAYS, type CalendarArgs } from './open-calendar.ts';

const text = { type: 'string' } as const;

function parameter(
  name: string,
  description: string,
  schema: RouteParameter['schema'] = text,
): RouteParameter {
  return { name, in: 'query', schema, description };
}

const sortColumns = [1, 2, 3] as const;

/** The documented query parameters, in document order. */
export const calendarParameters: readonly RouteParameter[] = [
  {
    ...parameter('source_id', 'Which calendar.', { type: 'string', enum: calendarSources }),
    required: true,
    example: 'CALENDAR',
  },
  { ...parameter('from_date', 'First day, yyyyMMdd.'), required: true, example: '20261117' },
  { ...parameter('to_date', 'Last day, yyyyMMdd.'), required: true, example: '20261119' },
  parameter(
    'cal_layout',
    'M month, W week, D day, P pinboard (only pinned feeds); a system filter may override it.',
    { type: 'string', enum: calendarLayouts, default: 'M' },
  ),
  parameter('return_type', 'Accepted and ignored.', { type: 'string', default: 'CAL' }),
  parameter('cut_off_time', 'CALENDAR: epoch ms, feeds that end before are left out; 0 is off.', {
    type: 'integer',
    format: 'int64',
    default: 0,
  }),
  parameter(
    'home_dept_id',
    'Comma-separated; those of your home departments whose confidential items you want to see. Default: all.',
  ),
  parameter(
    'view_type',
    "SV: your unit's (store's) items. Anything else: the session's current view.",
  ),
  parameter('message_type', 'Comma-separated message types, any of.'),
  parameter('sort_by', 'Comma-separated column names; CALENDAR and STORE_PROJECTS.'),
  parameter('sort_order', 'Comma-separated A or D, one for each sort_by column.'),
  parameter(
    'week_dates',
    'Comma-separated yyyyMMdd; an item matches if it overlaps one of these days.',
  ),
  parameter('status', 'Comma-separated status codes N, R, P, O, C, F, E.'),
  parameter('feed_type_id', 'Comma-separated feed type ids, any of.'),
  parameter('priority', 'Comma-separated priority numbers.'),
  parameter('local_projects', 'Y local only, N non-local only, A all; the two project sources.', {
    type: 'string',
    enum: ['Y', 'N', 'A'],
    default: 'N',
  }),
  parameter('active_projects', 'Y active only, N all; STORE_PROJECTS.', {
    type: 'string',
    enum: ['Y', 'N'],
  }),
  parameter('cal_filter_exc_level', 'Executor level.'),
  parameter('cal_filter_unit', 'Comma-separated unit ids.'),
  parameter('cal_filter_org_level', 'Organisation level.'),
  parameter('feed_title', 'Case-insensitive substring of the title.'),
  parameter('favorite', '1: favorites only.'),
  parameter('tags', 'Comma-separated tags, any of.'),
  parameter(
    'filter_id',
    'A system filter. When it resolves it filters too, gives the layout, and adds layout, calendarType and selectedDates.',
  ),
  parameter('p_requestor_level', 'Requestor level; the text null means none.'),
  ...sortColumns.map((n) =>
    parameter(`p_sort_column_${n}`, `Sort column ${n}; counts when sort_by is absent.`),
  ),
  ...sortColumns.map((n) =>
    parameter(`p_sort_column_order_${n}`, '1 ascending, -1 descending.', {
      type: 'integer',
      enum: [1, -1],
      default: 1,
    }),
  ),
];

/** Reads every parameter of a calendar. Throws E140, E142, E143, E147 in the order of D-03 and D-21. */
export function readCalendarParameters(read: ParameterReader): CalendarArgs {
  const range = readRange(read);
  const { source } = range;
  read.documentedAsIgnored('return_type');
  if (source !== 'STORE_PROJECTS') read.documentedAsIgnored('active_projects');
  if (source === 'CALENDAR' || source === 'STORE_WALK_CAL')
    read.documentedAsIgnored('local_projects');
  if (source !== 'CALENDAR') read.documentedAsIgnored('cut_off_time');
  const layout = read.optional(
    'cal_layout',
    (value) => calendarLayouts.find((code) => code === value),
    'M, W, D or P',
  );
  return {
    ...range,
    layout,
    filter: readFilter(read, source),
    filterId: read.text('filter_id'),
    orderBy: readCalendarOrder(read, source),
  };
}

/** The bounds are compared as text before they are read as days, as documented (D-21). */
function readRange(read: ParameterReader): Pick<CalendarRange, 'source' | 'from' | 'to'> {
  const named = read.text('source_id')?.trim();
  const source = calendarSources.find((name) => name === named);
  if (!source) throw new AppError('E140');
  const from = read.text('from_date')?.trim();
  if (!from) throw new AppError('E142');
  const to = read.text('to_date')?.trim();
  if (!to) throw new AppError('E143');
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
  const token = (value: string): string => value;
  const oneOf = <const T extends string>(name: string, values: readonly T[]): T | undefined =>
    read.optional(name, (value) => values.find((known) => known === value), values.join(' or '));
  const requestorLevel = read.filterText('p_requestor_level');
  const favorite = read.text('favorite')?.trim();
  if (favorite !== undefined && !/^(-1|0|1)$/.test(favorite)) read.ignore('favorite', 'must be 1');
  return {
    cutOffTime:
      source === 'CALENDAR'
        ? read.optional('cut_off_time', parseInt64, 'epoch milliseconds')
        : undefined,
    homeDeptIds: read.list('home_dept_id', parseInt32, 'a department id'),
    view: oneOf('view_type', ['SV', 'DV', 'MV']),
    messageTypes: read.list('message_type', token, 'a message type'),
    weekDates: read.list('week_dates', parseDay, 'a day yyyyMMdd'),
    statuses: read.list('status', parseFeedStatus, 'one of N, R, P, O, C, F, E'),
    feedTypeIds: read.list('feed_type_id', token, 'a feed type id'),
    priorities: read.list('priority', parseInt32, 'an integer'),
    localProjects:
      source === 'CALENDAR' || source === 'STORE_WALK_CAL'
        ? undefined
        : oneOf('local_projects', ['Y', 'N', 'A']),
    activeOnly:
      source === 'STORE_PROJECTS' ? oneOf('active_projects', ['Y', 'N']) === 'Y' : undefined,
    execLevel: read.filterText('cal_filter_exc_level'),
    unitIds: read.list('cal_filter_unit', parseInt32, 'a unit id'),
    orgLevel: read.filterText('cal_filter_org_level'),
    feedTitle: read.filterText('feed_title'),
    favorite: favorite === '1',
    tags: read.list('tags', token, 'a tag'),
    requestorLevel: requestorLevel?.trim().toLowerCase() === 'null' ? undefined : requestorLevel,
  };
}

/** sort_by with sort_order, else the three p_sort_column (D-28); what the source can't be sorted by is dropped. */
function readCalendarOrder(read: ParameterReader, source: CalendarSource): FeedOrder[] {
  const numbered = sortColumns.map((n) => ({
    column: `p_sort_column_${n}`,
    order: `p_sort_column_order_${n}`,
  }));
  const usesSortBy = (read.text('sort_by') ?? '').trim() !== '';
  const sortable = source === 'CALENDAR' || source === 'STORE_PROJECTS';
  for (const { column, order } of numbered)
    if (usesSortBy || !sortable) [column, order].forEach((name) => read.documentedAsIgnored(name));
  if (!sortable) {
    read.documentedAsIgnored('sort_by');
    read.documentedAsIgnored('sort_order');
    return [];
  }
  const order = readOrder(read);
  if (!usesSortBy) return numbered.flatMap((names) => readNumbered(read, source, names));
  if (order.some(({ field }) => !isSortable(source, field)))
    read.ignore('sort_by', 'projects have no profile');
  return order.filter(({ field }) => isSortable(source, field));
}

function readNumbered(
  read: ParameterReader,
  source: CalendarSource,
  { column, order }: { column: string; order: string },
): FeedOrder[] {
  const parse = (value: string): FeedOrder['field'] | undefined => {
    const named = parseFeedOrderField(value);
    return named && isSortable(source, named) ? named : undefined;
  };
  const field = read.optional(column, parse, `one of ${feedOrderFields.length} documented columns`);
  const direction =
    read.optional(
      order,
      (value) => (value === '1' ? 'ASC' : value === '-1' ? 'DESC' : undefined),
      '1 or -1',
    ) ?? 'ASC';
  return field ? [{ field, direction }] : [];
}
