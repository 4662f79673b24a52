import type { TypedParams } from '../../core/sql/statement.ts';
import { type Day, dayWindow } from '../../core/time/days.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import type { SortColumn } from '../../core/lists/sort-column.ts';
import type { ListPart } from '../feeds/selection/list-ranges.sql.ts';
import {
  bounded,
  instant,
  NEVER,
  NEVER_MS,
  overlapsAnySql,
} from '../feeds/selection/feed-filter.sql.ts';
import type { CalendarRange } from './calendar-filter.ts';

/** "The item has a date and overlaps the range" (D-27). */
export function datesSql(window: Window, params: TypedParams): string[] {
  return [`least(l.start_sort, l.end_sort) < ${NEVER}`, overlapsAnySql([window], params)];
}

/** Half-open interval of instants, epoch milliseconds. */
export interface Window {
  from: number;
  to: number;
}

/** More than any zone is ahead of UTC, or behind it. */
const FURTHEST_ZONE = 24 * 3_600_000;

/**
 * The interval that the items of a calendar overlap as feed_listing has them. It has suggested days from midnight UTC:
 * whether they are in the range is told by the days themselves (calendarConditions).
 */
export function listedWindow(range: CalendarRange, viewer: Viewer): Window {
  const { from, to } = windowOf(range, viewer);
  return range.source === 'STORE_SUGGESTED_DATE_PROJECTS'
    ? { from: from - FURTHEST_ZONE, to }
    : { from, to };
}

/** The instants of a range of days in the session's zone. */
export function windowOf({ from, to }: { from: Day; to: Day }, viewer: Viewer): Window {
  return { from: dayWindow(from, viewer.timeZone).from, to: dayWindow(to, viewer.timeZone).to };
}

/**
 * The parts of a list of feeds that overlap a window, in an order by start or by end; undefined in others. No index
 * finds in order what overlaps a window. But what begins (or ends) in it is an index range, and what runs across its
 * first (last) instant is found by feed_duration; so a page reads little more than its rows, however many lie before and
 * behind the window.
 */
export function partsOf(
  order: readonly SortColumn[],
  window: Window,
): readonly ListPart[] | undefined {
  const [from, to] = [bounded(window.from), bounded(window.to)];
  if (to >= NEVER_MS) return undefined;
  if (order[0]?.sql === 'l.start_sort')
    return [
      { from: -Infinity, until: from, across: from, conditions: () => [] },
      {
        from,
        until: to,
        conditions: (params) => [
          `l.start_sort >= ${instant(from, params)} AND l.start_sort < ${instant(to, params)}`,
        ],
      },
      {
        from: to,
        until: Infinity,
        conditions: (params) => [
          `l.start_sort >= ${instant(to, params)} AND l.end_sort < ${instant(to, params)} AND l.end_sort < l.start_sort`,
        ],
      },
    ];
  if (order[0]?.sql === 'l.end_sort')
    return [
      {
        from: -Infinity,
        until: to,
        conditions: (params) => [`l.end_sort < ${instant(to, params)}`],
      },
      {
        from: to,
        until: NEVER_MS,
        across: to,
        conditions: (params) => [`l.end_sort >= ${instant(to, params)} AND l.end_sort < ${NEVER}`],
      },
      {
        from: NEVER_MS,
        until: NEVER_MS + 1,
        conditions: (params) => [
          `l.end_sort = ${NEVER} AND l.start_sort >= ${instant(from, params)} AND l.start_sort < ${instant(to, params)}`,
        ],
      },
      { from: NEVER_MS + 1, until: Infinity, conditions: () => [`l.end_sort > ${NEVER}`] },
    ];
  return undefined;
}
