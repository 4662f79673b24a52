import type { Params } from '../../../core/lists/pagination.ts';
import { fold, isStorable } from '../../../core/text.ts';
import { dayWindow, type Day } from '../../../core/time.ts';
import type { FeedView, Viewer } from '../../../core/context/viewer.ts';
import type { FeedStatus } from '../../terms/feed-status.ts';
import { boundFilter } from './bound-filter.ts';

/** REST: task_view. P: top-level items; T: tasks (D-32). */
export type TaskView = 'P' | 'T';

/** What narrows a list of feeds. Absent or null: no restriction; an empty list matches nothing (P3). */
export interface FeedFilter {
  pin?: boolean | null | undefined;
  favorite?: boolean | null | undefined;
  follow?: boolean | null | undefined;
  acknowledged?: boolean | null | undefined;
  promotedToNote?: boolean | null | undefined;
  messageTypes?: readonly string[] | null | undefined;
  /** Effective status (D-50). */
  statuses?: readonly FeedStatus[] | null | undefined;
  priorities?: readonly number[] | null | undefined;
  /** Substring, case-insensitive. */
  feedTitle?: string | null | undefined;
  comAttrValues?: readonly string[] | null | undefined;
  msgAttrValues?: readonly string[] | null | undefined;
  /** Default MV. */
  view?: FeedView | null | undefined;
  /** Default P. */
  taskView?: TaskView | null | undefined;
  feedTypeIds?: readonly string[] | null | undefined;
  tags?: readonly string[] | null | undefined;
  selectedDates?: readonly Day[] | null | undefined;
  weekDates?: readonly Day[] | null | undefined;
  /** Epoch milliseconds; feeds that end before are left out, 0 is off (D-26). */
  cutOffTime?: number | null | undefined;
}

/** How feed_listing stores "no start" and "no end". */
export const NEVER = `'9999-12-31 23:59:59+00'`;

/** The end of a feed, which is its start when it has none. */
const END = `CASE WHEN l.end_sort = ${NEVER} THEN l.start_sort ELSE l.end_sort END`;

/** Highest instant that a time filter may name: the last that ISO 8601 writes with four digits. */
const MAX_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The conditions of a filter over `l` (feed_listing), joined by AND; empty when it restricts nothing. What feed_listing does not hold is looked
 * up in subqueries, so that the planner may start from either side. `:overdueBefore` is left for the caller to bind. Throws E900 for a list that is too long.
 */
export function feedFilterSql(filter: FeedFilter, viewer: Viewer, params: Params): string[] {
  boundFilter(filter);
  const sql: string[] = [];
  const flags = [
    ['pinned', filter.pin],
    ['favorite', filter.favorite],
    ['follow', filter.follow],
    ['acknowledged', filter.acknowledged],
    ['promoted_to_note', filter.promotedToNote],
  ] as const;
  for (const [column, wanted] of flags) {
    if (wanted == null) continue;
    const exists = `EXISTS (SELECT FROM feed_user_state s WHERE s.user_id = ${params.add(viewer.userId)} AND s.feed_key = l.feed_key AND s.${column})`;
    sql.push(wanted ? exists : `NOT ${exists}`);
  }
  if (filter.statuses) sql.push(statusSql(filter.statuses, params));
  if (filter.priorities) sql.push(`l.priority_sort = ANY (${params.add([...filter.priorities])})`);
  if (filter.feedTypeIds)
    sql.push(`l.feed_type_sort = ANY (${params.add(storable(filter.feedTypeIds))})`);
  if (filter.messageTypes)
    sql.push(ofFeed(`f.message_type = ANY (${params.add(storable(filter.messageTypes))})`));
  if (filter.feedTitle)
    sql.push(
      isStorable(filter.feedTitle)
        ? ofFeed(`strpos(f.title_fold, ${params.add(fold(filter.feedTitle))}) > 0`)
        : 'false',
    );
  for (const [scope, values] of [
    ['COM', filter.comAttrValues],
    ['MSG', filter.msgAttrValues],
  ] as const) {
    if (values)
      sql.push(
        `EXISTS (SELECT FROM feed_attribute a WHERE a.feed_key = l.feed_key AND a.scope = '${scope}' AND a.value_fold = ANY (${params.add(storable(values).map(fold))}))`,
      );
  }
  if (filter.tags)
    sql.push(
      `EXISTS (SELECT FROM feed_tag t WHERE t.feed_key = l.feed_key AND t.tag_fold = ANY (${params.add(storable(filter.tags).map(fold))}))`,
    );
  for (const days of [filter.selectedDates, filter.weekDates]) {
    if (days)
      sql.push(
        overlapsAnySql(
          days.map((day) => dayWindow(day, viewer.timeZone)),
          params,
        ),
      );
  }
  if (filter.cutOffTime) sql.push(`l.end_sort >= ${instant(filter.cutOffTime, params)}`);
  return sql;
}

/**
 * "The effective status is one of these" (D-50), in terms of the stored status: PostgreSQL knows how many rows have a stored status and plans well with it, but
 * nothing about a CASE.
 */
function statusSql(statuses: readonly FeedStatus[], params: Params): string {
  const stored = `l.status = ANY (${params.add(statuses.filter((status) => status !== 'O'))}::bpchar[]) AND (l.status NOT IN ('N', 'R', 'P') OR l.end_sort >= :overdueBefore::timestamptz)`;
  return statuses.includes('O')
    ? `(l.status = 'O' OR (l.status IN ('N', 'R', 'P') AND l.end_sort < :overdueBefore::timestamptz) OR (${stored}))`
    : `(${stored})`;
}

/**
 * "The feed's interval overlaps one of these half-open windows": its start and end belong to it, a missing end is the start and the other way round (D-23, D-27).
 * Plain comparisons with the end come first: the planner reads an index range for them. Many windows are one multirange, in which PostgreSQL looks a row up by halves.
 */
export function overlapsAnySql(
  windows: readonly { from: number; to: number }[],
  params: Params,
): string {
  const [only] = windows;
  if (!only) return 'false';
  if (windows.length === 1) {
    const [from, to] = [instant(only.from, params), instant(only.to, params)];
    return `l.end_sort >= ${from} AND (l.end_sort <> ${NEVER} OR l.start_sort >= ${from}) AND (l.start_sort < ${to} OR l.end_sort < ${to})`;
  }
  const earliest = instant(
    windows.reduce((least, { from }) => Math.min(least, from), only.from),
    params,
  );
  const ranges = windows.map(
    ({ from, to }) =>
      `[${new Date(bounded(from)).toISOString()},${new Date(bounded(to)).toISOString()})`,
  );
  return `l.end_sort >= ${earliest} AND ${params.add(`{${ranges.join(',')}}`)}::tstzmultirange && tstzrange(least(l.start_sort, l.end_sort), ${END}, '[]')`;
}

/** Text that PostgreSQL can't hold equals nothing that it holds. */
function storable(values: readonly string[]): string[] {
  return values.filter(isStorable);
}

function ofFeed(condition: string): string {
  return `EXISTS (SELECT FROM feed f WHERE f.feed_key = l.feed_key AND ${condition})`;
}

/** Binds an instant, bounded. */
export function instant(ms: number, params: Params): string {
  return `${params.add(new Date(bounded(ms)).toISOString())}::timestamptz`;
}

/** Bounded to what PostgreSQL and ISO 8601 write alike: the years 1 to 9999. */
export function bounded(ms: number): number {
  return Math.max(-62_135_596_800_000, Math.min(ms, MAX_INSTANT));
}
