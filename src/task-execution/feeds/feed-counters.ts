import type { Params } from '../../core/pagination.ts';
import type { Viewer } from '../../core/viewer.ts';
import { bounded, instant, NEVER } from './feed-filter.ts';
import { confidentialSql, type FeedList } from './feed-visibility.ts';

/** What can be counted without looking at all the feeds. */
export interface CounterQuery {
  /** Only feeds that overlap this half-open stretch of time; epoch milliseconds, `from <= to`. */
  window?: { from: number; to: number } | undefined;
  /** Only feeds of these priorities. */
  priorities?: readonly number[] | null | undefined;
}

/**
 * Rows of priority and count, one for each priority, over lists that haveCounters. No feed is over before it begins: those that overlap a window are the ones that begin
 * before its end, without those that are over before it begins. For each of these two bounds the counters answer up to the nearest midnight (UTC), by whole
 * years, then months of the year, then days of the month; between midnight and bound the feeds are counted; what is not folded yet is added. One
 * statement, so one snapshot: exact whatever is written or folded meanwhile.
 */
export function countersSql(lists: readonly FeedList[], { window, priorities }: CounterQuery, viewer: Viewer, params: Params): string {
  const list = lists[0]?.list ?? 0;
  const subjects = `${params.add(lists.map(({ subjectId }) => subjectId))}::int[]`;
  const open = `${params.add([-1, ...viewer.homeDeptIds])}::int[]`;
  const ofPriority = priorities ? ` AND priority_sort = ANY (${params.add([...priorities])})` : '';
  const begun = boundOf(window?.to, 'infinity', params);
  const over = boundOf(window?.from, '-infinity', params);
  const counted = `confidential_dept = ANY (${open})${ofPriority}`;
  const listed = (sign: string, conditions: string): string =>
    `SELECT l.priority_sort, ${sign} FROM feed_listing l WHERE l.list = ${list} AND l.subject_id = ANY (${subjects}) AND ${conditions} AND ${confidentialSql(viewer, params)}${ofPriority}`;
  const parts = [
    `SELECT c.priority_sort, c.n
     FROM (VALUES (${begun.day}, true), (${over.day}, false)) AS bound (day, begun)
     CROSS JOIN LATERAL (VALUES
       ('Y'::char(1), '-infinity'::date, date_trunc('year', day::timestamp)::date),
       ('M', date_trunc('year', day::timestamp)::date, date_trunc('month', day::timestamp)::date),
       ('D', date_trunc('month', day::timestamp)::date, day)) AS span (level, first, until)
     CROSS JOIN unnest(${subjects}) AS s (subject_id)
     CROSS JOIN LATERAL (
       SELECT priority_sort, CASE WHEN begun THEN sum(starts) ELSE -sum(ends) END AS n FROM feed_count
       WHERE list = ${list} AND subject_id = s.subject_id AND level = span.level AND period >= first AND period < until AND ${counted}
       GROUP BY priority_sort) c`,
    `SELECT priority_sort, n * ((starts_on < ${begun.day})::int - (ends_on < ${over.day})::int) FROM feed_count_delta
     WHERE list = ${list} AND subject_id = ANY (${subjects}) AND ${counted}`,
  ];
  if (begun.rest) {
    const { sign, first, until } = begun.rest;
    parts.push(
      listed(sign, `l.start_sort >= ${first} AND l.start_sort < ${until} AND l.end_sort >= l.start_sort`),
      listed(sign, `l.end_sort >= ${first} AND l.end_sort < ${until} AND l.end_sort < l.start_sort`),
    );
  }
  if (over.rest) {
    const { sign, first, until } = over.rest;
    parts.push(
      listed(`-${sign}`, `l.end_sort >= ${first} AND l.end_sort < ${until} AND l.end_sort <> ${NEVER}`),
      listed(`-${sign}`, `l.start_sort >= ${first} AND l.start_sort < ${until} AND l.end_sort = ${NEVER}`),
    );
  }
  return `SELECT priority_sort, sum(n) FROM (${parts.join(' UNION ALL ')}) AS part (priority_sort, n) GROUP BY priority_sort HAVING sum(n) <> 0`;
}

interface Bound {
  /** The counters' days before this one lie before the bound. */
  day: string;
  /** The instants between its midnight and the bound, half-open, which are to be added (1) or taken away (-1). */
  rest?: { sign: string; first: string; until: string };
}

const DAY = 86_400_000;
/** The next one is in a year of five digits. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** A bound in SQL; `forever` is the one that is beyond all days. */
function boundOf(ms: number | undefined, forever: string, params: Params): Bound {
  if (ms === undefined) return { day: `'${forever}'::date` };
  const at = bounded(ms);
  const midnight = Math.min(Math.round(at / DAY) * DAY, LAST_DAY);
  const day = `${params.add(new Date(midnight).toISOString().slice(0, 10))}::date`;
  if (at === midnight) return { day };
  return {
    day,
    rest: { sign: `${params.add(at < midnight ? -1 : 1)}::int`, first: instant(Math.min(at, midnight), params), until: instant(Math.max(at, midnight), params) },
  };
}
