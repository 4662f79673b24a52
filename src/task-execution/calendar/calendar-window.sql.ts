import type { TypedParams } from '../../core/sql/statement.ts';
import { type Day, dayWindow } from '../../core/time/days.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { NEVER, overlapsAnySql } from '../feeds/selection/feed-filter.sql.ts';

/** "The item has a date and overlaps the range" (D-27). */
export function datesSql(window: Window, params: TypedParams): string[] {
  return [`least(l.start_sort, l.end_sort) < ${NEVER}`, overlapsAnySql([window], params)];
}

/** Half-open interval of instants, epoch milliseconds. */
export interface Window {
  from: number;
  to: number;
}

/** The instants of a range of days in the session's zone. */
export function windowOf({ from, to }: { from: Day; to: Day }, viewer: Viewer): Window {
  return { from: dayWindow(from, viewer.timeZone).from, to: dayWindow(to, viewer.timeZone).to };
}
