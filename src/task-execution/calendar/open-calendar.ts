import type { SignedInContext } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import type { SortColumn } from '../../core/lists/sort-column.ts';
import { countDays, type Day } from '../../core/time/days.ts';
import { loadSystemFilter } from '../feeds/selection/load-system-filter.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import type { ListPart } from '../feeds/selection/list-ranges.sql.ts';
import type { CounterQuery } from '../feeds/selection/feed-counts.sql.ts';
import { feedCriteria } from '../feeds/selection/feed-filter.sql.ts';
import { feedListOrder, feedSort, type FeedOrder } from '../feeds/selection/feed-order.ts';
import { readFeedSettings, type FeedSettings } from '../feeds/selection/feed-settings.ts';
import {
  feedLists,
  isCounted,
  listSource,
  type FeedList,
  type FeedSource,
} from '../feeds/selection/feed-visibility.sql.ts';
import { weighFilter } from '../feeds/selection/weigh-filter.ts';
import { calendarConditions, calendarFilterSql, type Filters } from './calendar-filter.sql.ts';
import { listedWindow, partsOf, windowOf } from './calendar-window.sql.ts';
import {
  type CalendarFilter,
  type CalendarLayout,
  calendarLayouts,
  type CalendarRange,
  type CalendarSource,
} from './calendar-filter.ts';

/** Longest range of one request, in days (D-23). */
export const MAX_RANGE_DAYS = 1_096;

/** Most items of a calendar without paging. */
export const MAX_ITEMS = 5_000;

export interface CalendarArgs {
  source: CalendarSource;
  from: Day;
  /** Inclusive. */
  to: Day;
  /** Default M. */
  layout?: CalendarLayout | null | undefined;
  filter?: CalendarFilter | null | undefined;
  /** A system filter; ignored if it is not found (D-35). */
  filterId?: string | null | undefined;
  orderBy?: readonly FeedOrder[] | null | undefined;
}

/** What all calendars have in common, and how to read their items. */
export interface Calendar extends CalendarRange {
  /** Of the system filter, if it was found; else null. */
  systemFilter: { layout: CalendarLayout; calendarType: string } | null;
  /** Server time before the read, in epoch milliseconds. */
  lastFetchTime: number;
  rows: {
    lists: FeedList[];
    sources: FeedSource[];
    conditions: (params: TypedParams) => string[];
    counters: () => CounterQuery | undefined;
    order: readonly SortColumn[];
    parts: readonly ListPart[] | undefined;
    settings: FeedSettings;
  };
}

/**
 * Validates a calendar's arguments and determines how its items are read. Throws E147, and E900 for a range that is too
 * long or an order that the source does not support.
 */
export async function openCalendar(ctx: SignedInContext, args: CalendarArgs): Promise<Calendar> {
  const { viewer } = ctx;
  const { source, from, to } = args;
  if (from > to) throw new AppError('E147', { inGraphQL: 'from is after to' });
  if (countDays(from, to) > MAX_RANGE_DAYS)
    throw new AppError('E900', {
      message: `The range is longer than ${MAX_RANGE_DAYS} days`,
      inGraphQL: `from and to must not be more than ${MAX_RANGE_DAYS} days apart`,
    });
  const unsortable = args.orderBy?.find(({ field }) => !isSortable(source, field));
  if (unsortable)
    throw new AppError('E900', {
      message: `${source} can't be sorted like that`,
      inGraphQL: `orderBy: ${source} can't be sorted by ${unsortable.field}`,
    });
  const lastFetchTime = ctx.clock() - ctx.reads.behindMs;
  const [filter, settings, stored] = await Promise.all([
    weighFilter(ctx, args.filter ?? {}),
    readFeedSettings(ctx),
    args.filterId ? loadSystemFilter(ctx, args.filterId) : null,
  ]);
  const criteria = stored ? await weighFilter(ctx, feedCriteria.parse(stored.criteria)) : null;
  const systemFilter = stored
    ? {
        layout: calendarLayouts.find((code) => code === stored.layout) ?? 'M',
        calendarType: stored.calendarType,
      }
    : null;
  const range = { source, from, to, layout: systemFilter?.layout ?? args.layout ?? 'M' };
  const homeDeptIds = filter.homeDeptIds
    ? viewer.homeDeptIds.filter((id) => filter.homeDeptIds?.includes(id))
    : viewer.homeDeptIds;
  const reader = { ...viewer, homeDeptIds };
  const view = criteria?.view ?? (filter.view === 'SV' ? 'SV' : viewer.currentView);
  const lists = feedLists(reader, view, rowsOf[source] ?? criteria?.taskView ?? 'P');
  const order = feedListOrder(
    orderOf(source, args.orderBy ?? [], stored ? feedSort.parse(stored.sort) : []),
    settings,
  );
  return {
    ...range,
    systemFilter,
    lastFetchTime,
    rows: {
      lists,
      sources: lists.map((list) => listSource(list, reader)),
      conditions: (params) => calendarConditions(range, { filter, criteria }, reader, params),
      counters: () => countersOf(range, { filter, criteria }, lists, reader),
      order,
      parts: partsOf(order, listedWindow(range, reader)),
      settings,
    },
  };
}

/** The lists that a calendar is of; CALENDAR has those of its task view. */
const rowsOf = {
  CALENDAR: undefined,
  STORE_PROJECTS: 'P',
  STORE_SUGGESTED_DATE_PROJECTS: 'suggested',
  STORE_WALK_CAL: 'other',
} as const satisfies Record<CalendarSource, unknown>;

/** The days up to this one have no feed without dates: counters know it as one of the last day. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** The query for the counters of the lists; undefined if they can't evaluate a condition. */
function countersOf(
  range: CalendarRange,
  { filter, criteria }: Filters,
  lists: readonly FeedList[],
  reader: Viewer,
): CounterQuery | undefined {
  const window = windowOf(range, reader);
  const { priorities } = filter;
  const others = { filter: { ...filter, priorities: undefined }, criteria };
  return lists.some(isCounted) &&
    window.to <= LAST_DAY &&
    calendarFilterSql(range, others, reader, new TypedParams()).length === 0
    ? { window, priorities, homeDeptIds: reader.homeDeptIds }
    : undefined;
}

/** Only CALENDAR and STORE_PROJECTS sort, and projects have no profile (D-28). */
export function isSortable(source: CalendarSource, field: FeedOrder['field']): boolean {
  return source === 'CALENDAR' || (source === 'STORE_PROJECTS' && field !== 'PROFILE_ID');
}

export const byDate: readonly FeedOrder[] = [
  { field: 'START_DATE_TIME', direction: 'ASC' },
  { field: 'END_DATE_TIME', direction: 'ASC' },
];

/**
 * The requested order, else the supported part of the system filter's order, else by date; CALENDAR falls back to the
 * configured order.
 */
function orderOf(
  source: CalendarSource,
  asked: readonly FeedOrder[],
  ofFilter: readonly FeedOrder[],
): readonly FeedOrder[] {
  const wanted =
    asked.length > 0 ? asked : ofFilter.filter(({ field }) => isSortable(source, field));
  return wanted.length > 0 || source === 'CALENDAR' ? wanted : byDate;
}
