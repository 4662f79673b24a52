import { statement, statementFor, type TypedParams } from '../../../core/sql/statement.ts';
import { date, int4, int4s, int8, nullable, numeric } from '../../../core/sql/types.ts';
import { bounded, instant, NEVER, overlapsAnySql } from './feed-filter.sql.ts';
import { isPriority } from './filter-values.ts';
import { bindNamed, type NamedValues } from '../fields/feed-row.ts';
import {
  areDisjoint,
  arraySql,
  countedOpenSql,
  areAddressed,
  isCounted,
  openSql,
  type FeedList,
  type FeedSource,
} from './feed-visibility.sql.ts';

/** A count that does not need to read all feeds. */
export interface CounterQuery {
  /** Only feeds that overlap this half-open interval; epoch milliseconds, `from <= to`. */
  window?: { from: number; to: number } | undefined;
  /** Only feeds of these priorities. */
  priorities?: readonly number[] | null | undefined;
  /** The departments whose confidential feeds count. */
  homeDeptIds: readonly number[];
}

/** Most feeds of the viewer's own list that are looked up in other lists, which takes as long as to count ten. */
const MOST_LOOKED_UP = 5_000;

/**
 * Counts by priority, one row each, over lists of a view of which some have counters (isCounted). Since no feed ends
 * before it begins, the feeds that overlap a window are those that begin before its end, minus those that end before
 * its start. For each of these two bounds, the counters give the count up to the nearest midnight (UTC), by whole
 * years, then months of the year, then days of the month; between midnight and the bound, feeds are counted directly;
 * deltas that are not folded yet are added. In the view of a viewer's own feeds, lists overlap: see overlapParts. It is
 * one statement, and so one snapshot: exact whatever is written or folded meanwhile. Values are in joined rows instead
 * of conditions, so that PostgreSQL's estimates, and thus its plan, stay the same for every count; planning each one
 * took longer than counting. OFFSET 0 keeps it from joining in another order, which reads whole tables.
 *
 * A row without a priority says that the viewer's own feeds are too many to look up: then the counts are worth nothing.
 */
export const summedCounts = statementFor({
  text: ({ lists, query }: { lists: readonly FeedList[]; query: CounterQuery }, params) => {
    const counting: Counting = {
      query,
      lists: lists.filter(isCounted),
      begun: boundOf(query.window?.to, 'infinity', params),
      over: boundOf(query.window?.from, '-infinity', params),
    };
    const parts = [...counterParts(counting, params), ...restParts(counting, params)];
    const own = lists.filter((list) => !isCounted(list));
    const overlap = own.length > 0 ? overlapParts(counting, own, params) : { with: '', parts: [] };
    const all = [...parts, ...overlap.parts].join(' UNION ALL ');
    return `${overlap.with}SELECT priority_sort, sum(n) AS count FROM (${all}) AS part (priority_sort, n) GROUP BY priority_sort HAVING sum(n) <> 0`;
  },
  row: { prioritySort: nullable(int4), count: numeric },
});

interface Counting {
  query: CounterQuery;
  /** Those with counters, of one view. */
  lists: readonly FeedList[];
  /** The window's end and start. */
  begun: Bound;
  over: Bound;
}

/** What counters and their deltas say up to the midnights. */
function counterParts({ query, lists, begun, over }: Counting, params: TypedParams): string[] {
  const subjects = subjectsSql(lists, params);
  const ofList = `list = s.list AND subject_id = s.subject_id AND ${countedOpenSql(query, params)}${prioritiesSql(query, params)}`;
  return [
    `SELECT c.priority_sort, c.n
     FROM (VALUES (${begun.day}, true), (${over.day}, false)) AS bound (day, begun)
     CROSS JOIN LATERAL (VALUES
       ('Y'::char(1), '-infinity'::date, date_trunc('year', day::timestamp)::date),
       ('M', date_trunc('year', day::timestamp)::date, date_trunc('month', day::timestamp)::date),
       ('D', date_trunc('month', day::timestamp)::date, day)) AS span (level, first, until)
     CROSS JOIN ${subjects}
     CROSS JOIN LATERAL (
       SELECT priority_sort, CASE WHEN begun THEN sum(starts) ELSE -sum(ends) END AS n FROM feed_count
       WHERE ${ofList} AND level = span.level AND period >= first AND period < until
       GROUP BY priority_sort) c`,
    `SELECT d.priority_sort, d.n * ((d.starts_on < ${begun.day})::int - (d.ends_on < ${over.day})::int)
     FROM ${subjects} CROSS JOIN LATERAL (SELECT * FROM feed_count_delta WHERE ${ofList} OFFSET 0) d`,
  ];
}

/** The feeds between a midnight and its bound. */
function restParts({ query, lists, begun, over }: Counting, params: TypedParams): string[] {
  if (!begun.rest && !over.rest) return [];
  // The words of partial indexes, of which those of addressed feeds are others.
  const kind = areAddressed(lists) ? 'l.list >= 20 AND l.list < 40' : 'l.list >= 40';
  const open = `${openSql('l', query, params)}${prioritiesSql(query, params)}`;
  const listed = (conditions: string): string =>
    `SELECT l.priority_sort FROM feed_listing l WHERE l.list = s.list AND ${kind} AND l.subject_id = s.subject_id AND ${conditions} AND ${open}`;
  const within = (instant: string): string => `l.${instant} >= first AND l.${instant} < until`;
  return [
    `SELECT l.priority_sort, sign
     FROM (VALUES (true, ${restOf(begun, params)}), (false, ${restOf(over, params)})) AS rest (begun, sign, first, until)
     CROSS JOIN ${subjectsSql(lists, params)}
     CROSS JOIN LATERAL (
       ${listed(`begun AND ${within('start_sort')} AND l.end_sort >= l.start_sort`)}
       UNION ALL ${listed(`begun AND ${within('end_sort')} AND l.end_sort < l.start_sort`)}
       UNION ALL ${listed(`NOT begun AND ${within('end_sort')} AND l.end_sort <> ${NEVER}`)}
       UNION ALL ${listed(`NOT begun AND ${within('start_sort')} AND l.end_sort = ${NEVER}`)}) l`,
  ];
}

/**
 * What lists that overlap count too often or not at all, one by one: feeds in several of the lists with counters, which
 * are marked, are subtracted; the viewer's own feeds that are in none of them are added.
 */
function overlapParts(
  { query, lists }: Counting,
  own: readonly FeedList[],
  params: TypedParams,
): { with: string; parts: string[] } {
  const open = `${openSql('l', query, params)}${prioritiesSql(query, params)}`;
  const overlaps = query.window ? ` AND ${overlapsAnySql([query.window], params)}` : '';
  const listed = (some: readonly FeedList[], more: string): string =>
    `${subjectsSql(some, params)} CROSS JOIN LATERAL (SELECT l.feed_key, l.priority_sort FROM feed_listing l
     WHERE l.list = s.list AND l.subject_id = s.subject_id AND ${open}${overlaps}${more}) l`;
  const few = `(SELECT count(*) FROM own) <= ${MOST_LOOKED_UP}`;
  return {
    with: `WITH own AS MATERIALIZED (SELECT l.feed_key, l.priority_sort FROM ${listed(own, '')} LIMIT ${MOST_LOOKED_UP + 1}) `,
    parts: [
      `SELECT l.priority_sort, 1 - count(*) FROM ${listed(lists, ' AND l.shared OFFSET 0')} WHERE ${few}
     GROUP BY l.feed_key, l.priority_sort HAVING count(*) > 1`,
      // LIMIT keeps PostgreSQL from reading all of the other lists.
      `SELECT l.priority_sort, 1 FROM own l
     WHERE ${few} AND (SELECT true FROM feed_listing a WHERE a.feed_key = l.feed_key AND (${amongSql(lists, params)}) LIMIT 1) IS NULL`,
      `SELECT NULL, 1 WHERE NOT ${few}`,
    ],
  };
}

function prioritiesSql({ priorities }: CounterQuery, params: TypedParams): string {
  return priorities
    ? ` AND priority_sort = ANY (${params.add(int4s, priorities.filter(isPriority))})`
    : '';
}

/** The lists as rows of `s`. */
function subjectsSql(lists: readonly FeedList[], params: TypedParams): string {
  const subjects = arraySql(
    lists.map(({ subjectId }) => subjectId),
    params,
  );
  return `unnest(ARRAY[${lists.map(({ list }) => list).join(', ')}]::smallint[], ${subjects}) AS s (list, subject_id)`;
}

/** "The row `a` is in one of these lists." */
function amongSql(lists: readonly FeedList[], params: TypedParams): string {
  const kinds = [...new Set(lists.map(({ list }) => list))];
  return kinds
    .map((kind) => {
      const subjects = lists.filter(({ list }) => list === kind).map((list) => list.subjectId);
      return `a.list = ${kind} AND a.subject_id = ANY (${arraySql(subjects, params)})`;
    })
    .join(' OR ');
}

interface DirectCount {
  sources: readonly FeedSource[];
  lists: readonly FeedList[];
  conditions: (params: TypedParams) => string[];
  named: NamedValues;
}

/** The rows of each list, of which each is an index range. */
function readLists(args: DirectCount, columns: string, params: TypedParams): string[] {
  const shared = args
    .conditions(params)
    .map((condition) => ` AND ${condition}`)
    .join('');
  return args.sources.map((source) => `SELECT ${columns} FROM ${source(params)}${shared}`);
}

/** Counts by priority of the rows of lists. They are counted separately if no feed can be in two of them. */
export const directCounts = statementFor({
  text: (args: DirectCount, params) => {
    const sql = areDisjoint(args.lists)
      ? readLists(args, 'l.priority_sort, count(*)', params)
          .map((part) => `${part} GROUP BY l.priority_sort`)
          .join(' UNION ALL ')
      : `SELECT priority_sort, count(*) FROM (${readLists(args, 'l.feed_key, l.priority_sort', params).join(' UNION ')}) l GROUP BY priority_sort`;
    return bindNamed(sql, args.named, params);
  },
  row: { prioritySort: int4, count: int8 },
});

/** The same without priorities: an index alone answers where there are no conditions, which takes a third of the time. */
export const directTotal = statementFor({
  text: (args: DirectCount, params) => {
    const sql = areDisjoint(args.lists)
      ? `SELECT sum(n) AS count FROM (${readLists(args, 'count(*)', params).join(' UNION ALL ')}) l (n)`
      : `SELECT count(*)::numeric FROM (${readLists(args, 'l.feed_key', params).join(' UNION ')}) l`;
    return bindNamed(sql, args.named, params);
  },
  row: { count: numeric },
});

/** Folds that many deltas of counts into their sums, or all (null); says how many there were. */
export const foldCounts = statement({
  text: 'SELECT feed_count_fold($batch) AS folded',
  params: { batch: nullable(int4) },
  row: { folded: int4 },
});

interface Bound {
  /** The counter days before this one lie before the bound. */
  day: string;
  /** The instants between its midnight and the bound, half-open, and the sign with which feeds in there count. */
  rest?: { times: 1 | -1; first: number; until: number };
}

const DAY = 86_400_000;
/** The next day would be in a year of five digits. */
const LAST_DAY = Date.UTC(9999, 11, 31);

/** A bound in SQL; `forever` means the bound beyond all days. Feeds that end before a window are subtracted. */
function boundOf(
  ms: number | undefined,
  forever: 'infinity' | '-infinity',
  params: TypedParams,
): Bound {
  if (ms === undefined) return { day: `'${forever}'::date` };
  const at = bounded(ms);
  const midnight = Math.min(Math.round(at / DAY) * DAY, LAST_DAY);
  const day = `${params.add(date, new Date(midnight).toISOString().slice(0, 10))}::date`;
  if (at === midnight) return { day };
  const added = forever === 'infinity' ? 1 : -1;
  return {
    day,
    rest: {
      times: at < midnight ? (-added as 1 | -1) : added,
      first: Math.min(at, midnight),
      until: Math.max(at, midnight),
    },
  };
}

/** The sign and interval of the rest; an empty interval if a bound has none. */
function restOf({ rest = { times: 1, first: 0, until: 0 } }: Bound, params: TypedParams): string {
  return `${params.add(int4, rest.times)}::int, ${instant(rest.first, params)}, ${instant(rest.until, params)}`;
}
