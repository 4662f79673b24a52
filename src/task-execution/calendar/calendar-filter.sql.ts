import type { TypedParams } from '../../core/sql/statement.ts';
import { arrayOf, instantText, int4s, text, texts } from '../../core/sql/types.ts';
import { isStorable } from '../../core/text.ts';
import type { Day } from '../../core/time/days.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import {
  bounded,
  type FeedFilter,
  feedFilterSql,
  instant,
  NEVER,
  statusSql,
  type Weight,
} from '../feeds/selection/feed-filter.sql.ts';
import type { CalendarFilter, CalendarRange, CalendarSource } from './calendar-filter.ts';
import { datesSql, listedWindow, type Window, windowOf } from './calendar-window.sql.ts';

const instantTexts = arrayOf(instantText);

/** The filter of a request, and the criteria of a system filter. */
export interface Filters {
  filter: CalendarFilter & Weight;
  criteria: (FeedFilter & Weight) | null;
}

/** The conditions of a calendar over `l` (feed_listing); `criteria`, those of a system filter, apply in addition. */
export function calendarConditions(
  range: CalendarRange,
  filters: Filters,
  viewer: Viewer,
  params: TypedParams,
): string[] {
  return [
    ...calendarFilterSql(range, filters, viewer, params),
    ...datesSql(listedWindow(range, viewer), params),
  ];
}

/** Those without the dates that feed_listing has. */
export function calendarFilterSql(
  range: CalendarRange,
  { filter, criteria }: Filters,
  viewer: Viewer,
  params: TypedParams,
): string[] {
  const { source, from, to } = range;
  const feeds = source === 'CALENDAR';
  const weekDates = filter.weekDates?.filter((day) => day >= from && day <= to);
  const suggested = source === 'STORE_SUGGESTED_DATE_PROJECTS';
  const common: FeedFilter & Weight = {
    fewTypes: filter.fewTypes,
    statuses: suggested ? undefined : filter.statuses,
    priorities: filter.priorities,
    messageTypes: filter.messageTypes,
    feedTypeIds: filter.feedTypeIds,
    feedTitle: filter.feedTitle,
    favorite: filter.favorite === true ? true : undefined,
    tags: filter.tags,
    weekDates: suggested ? undefined : weekDates,
    cutOffTime: feeds ? filter.cutOffTime : undefined,
    pinned: feeds && range.layout === 'P' ? true : undefined,
  };
  const stored: FeedFilter & Weight = {
    ...criteria,
    ...(!feeds && { cutOffTime: undefined }),
    ...(suggested && { statuses: undefined, selectedDates: undefined, weekDates: undefined }),
  };
  const ofStatuses = suggested ? [filter.statuses, criteria?.statuses] : [];
  const shownOn = suggested ? [weekDates, criteria?.selectedDates, criteria?.weekDates] : [];
  return [
    ...feedFilterSql(common, viewer, params),
    ...feedFilterSql(stored, viewer, params),
    ...ofFeed([
      ...feedConditions(source, filter, params),
      ...ofStatuses.flatMap((statuses) => (statuses ? [statusSql(statuses, params, END)] : [])),
      ...(suggested ? [suggestedDatesSql(range, windowOf(range, viewer), params)] : []),
      ...shownOn.flatMap((days) => (days ? [onSuggestedDaysSql(days, viewer, params)] : [])),
    ]),
  ];
}

/** The end of the feed `f` as feed_listing has it, but where it has the dates that a calendar shows. */
const END = `coalesce(f.end_at, ${NEVER})`;

/** "The interval that the calendar shows overlaps the range." */
function suggestedDatesSql(
  { from, to }: CalendarRange,
  window: Window,
  params: TypedParams,
): string {
  return shownSql({
    first: `${params.add(text, from)}::text`,
    last: `${params.add(text, to)}::text`,
    begin: instant(window.from, params),
    end: instant(window.to, params),
  });
}

/** "The interval that the calendar shows overlaps one of the days." */
function onSuggestedDaysSql(days: readonly Day[], viewer: Viewer, params: TypedParams): string {
  const windows = days.map((day) => windowOf({ from: day, to: day }, viewer));
  const instants = (all: readonly number[]): string =>
    `${params.add(
      instantTexts,
      all.map((ms) => new Date(bounded(ms)).toISOString()),
    )}::timestamptz[]`;
  const begins = instants(windows.map(({ from }) => from));
  const ends = instants(windows.map(({ to }) => to));
  const shown = shownSql({ first: 'd.day', last: 'd.day', begin: 'd.begins', end: 'd.ends' });
  return `EXISTS (SELECT FROM unnest(${params.add(texts, days)}::text[], ${begins}, ${ends}) d (day, begins, ends) WHERE ${shown})`;
}

/**
 * "The interval that the calendar shows overlaps the days from first to last", of which `begin` and `end` are the
 * instants: a date that is not suggested is the project's own (see suggestedSpan).
 */
function shownSql(days: Record<'first' | 'last' | 'begin' | 'end', string>): string {
  const { first, last, begin, end } = days;
  return `CASE WHEN f.sugg_start_date IS NOT NULL THEN f.sugg_start_date <= ${last} ELSE f.sugg_end_date <= ${last} OR coalesce(f.start_at, f.end_at) < ${end} END
    AND CASE WHEN f.sugg_end_date IS NOT NULL THEN f.sugg_end_date >= ${first} ELSE f.sugg_start_date >= ${first} OR coalesce(f.end_at, f.start_at) >= ${begin} END`;
}

/** Conditions over `f` (feed), for data that feed_listing does not have. */
function feedConditions(
  source: CalendarSource,
  filter: CalendarFilter,
  params: TypedParams,
): string[] {
  const sql: string[] = [];
  const projects = source === 'STORE_PROJECTS' || source === 'STORE_SUGGESTED_DATE_PROJECTS';
  if (projects) sql.push(`f.kind = 'PROJECT'`);
  const local = filter.localProjects ?? 'N';
  if (projects && local !== 'A') sql.push(local === 'Y' ? 'f.is_local' : 'NOT f.is_local');
  if (source === 'STORE_PROJECTS' && filter.activeOnly) sql.push('f.is_active');
  const levels = [
    ['exec_level', filter.execLevel],
    ['org_level', filter.orgLevel],
    ['requestor_level', filter.requestorLevel],
  ] as const;
  for (const [column, level] of levels)
    if (level) sql.push(isStorable(level) ? `f.${column} = ${params.add(text, level)}` : 'false');
  if (filter.unitIds) sql.push(`f.unit_id = ANY (${params.add(int4s, filter.unitIds)}::int[])`);
  return sql;
}

/** "The feed `f` of this row meets all of these conditions." */
export function ofFeed(conditions: readonly string[]): string[] {
  return conditions.length === 0
    ? []
    : [`EXISTS (SELECT FROM feed f WHERE f.feed_key = l.feed_key AND ${conditions.join(' AND ')})`];
}
