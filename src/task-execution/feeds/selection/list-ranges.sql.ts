import { beyond, castParam, orderBySql, type PageRequest } from '../../../core/lists/pagination.ts';
import { instantOf, type SortColumn } from '../../../core/lists/sort-column.ts';
import type { TypedParams } from '../../../core/sql/statement.ts';
import { instant } from './feed-filter.sql.ts';
import type { FeedSource } from './feed-visibility.sql.ts';

/** Which feeds a page is of. */
export interface FeedRows {
  sources: readonly FeedSource[];
  /** SQL conditions over `l`; every row must meet all of them. */
  conditions: (params: TypedParams) => string[];
  order: readonly SortColumn[];
  page: PageRequest;
  /** Parts that together are the list, in the ascending order of its first column; see partsOf. */
  parts?: readonly ListPart[] | undefined;
}

/** The rows of a list with these values of its first column, in epoch milliseconds; `until` is exclusive. */
export interface ListPart {
  from: number;
  until: number;
  /** Says so in SQL over `l`, with what follows from it under the conditions of the list. */
  conditions: (params: TypedParams) => string[];
  /** All begin before this instant and end at it or later: they are looked up by how long they take. */
  across?: number;
}

/**
 * The part of the list to read: after a position; one of its parts; and in an order that is read value by value, the
 * rows with this value of the first column, with the first value there is, or with the first value beyond one, or all
 * beyond one.
 */
export interface Step {
  position: readonly string[] | undefined;
  part?: ListPart | undefined;
  leading?: { at: string } | { first: true } | { beyond: string };
  /** The rows beyond this value of the first column. */
  beyond?: string;
}

/** Conditions as they go behind others. */
export const andSql = (conditions: readonly string[]): string =>
  conditions.map((condition) => ` AND ${condition}`).join('');

/** The rows of one step, ordered and cut: a query in parentheses over the sort columns. */
export function rangeSql(query: FeedRows, step: Step, params: TypedParams): string {
  const { order, page } = query;
  const reversed = page.backward;
  const limit = page.limit + 1;
  const sort = orderBySql(order, reversed);
  const columns = order.map((column) => column.sql).join(', ');
  const leading =
    step.leading && order[0]
      ? `${order[0].sql} = ${leadingSql(query, order[0], step.leading, params)}`
      : undefined;
  const [rest, behind] = leading
    ? [order.slice(1), step.position?.slice(1)]
    : [order, step.position];
  const ranges =
    step.beyond !== undefined
      ? beyond(order.slice(0, 1), [step.beyond], { reversed }, params)
      : behind
        ? beyond(rest, behind, { reversed }, params)
        : ['true'];
  const across = step.part?.across;
  const conditions = query
    .conditions(params)
    .concat(
      step.part?.conditions(params) ?? [],
      leading ?? [],
      across === undefined ? [] : RUNS_ACROSS,
    );
  const earliestFirst = order[0]?.sql === 'l.start_sort' && order[0].descending === reversed;
  const isOne = query.sources.length === 1 && ranges.length === 1;
  const earliest =
    earliestFirst && isOne ? (behind ? instantOf(behind[0] ?? '') : -Infinity) : undefined;
  const parts = query.sources.flatMap((source) => {
    const from = source(params);
    return ranges.map((range) => {
      const found = `${from} AND ${[...conditions, range].join(' AND ')}`;
      if (step.beyond !== undefined || (step.part && across === undefined))
        return rowsInOrderSql(query, { columns, found, sort, limit });
      const rows = `(SELECT ${columns} FROM ${found} ORDER BY ${sort} LIMIT ${limit})`;
      return across === undefined
        ? rows
        : rowsAcrossSql(across, { columns, rows, sort, limit, earliest }, params);
    });
  });
  if (parts.length === 1) return parts[0] ?? '';
  const union = query.sources.length > 1 ? ' UNION ' : ' UNION ALL ';
  return `(SELECT * FROM (${parts.join(union)}) l ORDER BY ${sort} LIMIT ${limit})`;
}

/** The first column's value that a step reads; null if none is left, so that no row is found. */
function leadingSql(
  query: FeedRows,
  column: SortColumn,
  leading: NonNullable<Step['leading']>,
  params: TypedParams,
): string {
  if ('at' in leading) return castParam(column, leading.at, params);
  const reversed = query.page.backward;
  const conditions = andSql([
    ...query.conditions(params),
    ...('beyond' in leading ? beyond([column], [leading.beyond], { reversed }, params) : []),
  ]);
  const sort = orderBySql([column], reversed);
  const parts = query.sources.map(
    (source) =>
      `(SELECT ${column.sql} FROM ${source(params)}${conditions} ORDER BY ${sort} LIMIT 1)`,
  );
  return parts.length === 1
    ? (parts[0] ?? '')
    : `(SELECT * FROM (${parts.join(' UNION ALL ')}) l ORDER BY ${sort} LIMIT 1)`;
}

/** "There are rows at the position or before it, in reading direction." */
export function behindSql(
  query: FeedRows,
  position: readonly string[],
  params: TypedParams,
): string {
  const { order, page } = query;
  const reversed = !page.backward;
  // Sorting by the first column keeps PostgreSQL on the index; any row that it finds will do.
  const sort = orderBySql(order.slice(0, 1), reversed);
  const conditions = andSql(query.conditions(params));
  const ranges = beyond(order, position, { reversed, inclusive: true }, params);
  const parts = query.sources.flatMap((source) => {
    const from = source(params);
    return ranges.map(
      (range) => `EXISTS (SELECT FROM ${from} AND ${range}${conditions} ORDER BY ${sort} LIMIT 1)`,
    );
  });
  return `(${parts.join(' OR ')})`;
}

/** The bounds of feed_duration, in hours: a feed takes less than the one with its number; those of the last have none. */
export const BOUNDS = [
  3, 6, 12, 26, 50, 74, 98, 122, 146, 170, 194, 242, 290, 338, 410, 506, 674, 746, 962, 1202, 1538,
  2210, 4418, 8786, 17570,
];

/** Feeds that take less, in hours, are short: only looked for when there is room for them. */
const LONGEST_SHORT = 194;
const FIRST_LONG = BOUNDS.indexOf(LONGEST_SHORT) + 1;

/** "The feed takes that long, and begins before the instant, but not so early that it would have ended." */
const RUNS_ACROSS =
  'feed_duration(l.start_sort, l.end_sort) = duration.number AND l.start_sort >= duration.since AND l.start_sort < duration.at';

/**
 * The first rows, in an order, that begin before an instant and end at it or later. They are looked up by how long they
 * take: `rows` is a query in parentheses of those that meet RUNS_ACROSS, ordered and cut. If the earliest are first,
 * `earliest` is the start after which they are wanted, in epoch milliseconds. Then long feeds fill the page alone if
 * enough of them have begun before any short one can have.
 */
function rowsAcrossSql(
  instantMs: number,
  query: {
    columns: string;
    rows: string;
    sort: string;
    limit: number;
    earliest: number | undefined;
  },
  params: TypedParams,
): string {
  const { columns, rows, limit, earliest } = query;
  const at = instant(instantMs, params);
  const cut = `ORDER BY ${query.sort} LIMIT ${limit}`;
  const durations = [
    ...BOUNDS.map((hours, number) => `(${number}, ${at} - interval '${hours}:00', ${at})`),
    `(${BOUNDS.length}, '-infinity', ${at})`,
  ];
  const found = (some: readonly string[], condition = ''): string =>
    `(SELECT ${columns} FROM (VALUES ${some.join(', ')}) duration (number, since, at) CROSS JOIN LATERAL ${rows} l ${condition} ${cut})`;
  const firstShort = instantMs - LONGEST_SHORT * 3_600_000;
  if (earliest === undefined || earliest >= firstShort) return found(durations);
  const hasRoom = `(SELECT count(*) FROM long l WHERE l.start_sort < ${at} - interval '${LONGEST_SHORT}:00') < ${limit}`;
  return `(WITH long AS MATERIALIZED ${found(durations.slice(FIRST_LONG))}
    SELECT * FROM (SELECT * FROM long UNION ALL SELECT * FROM ${found(durations.slice(0, FIRST_LONG), `WHERE ${hasRoom}`)} short) l ${cut})`;
}

/**
 * The first rows of those `found`, ordered and cut. They are read by the first column alone, in the order of an index; only
 * where the page ends, all with the value of its last row. PostgreSQL, which plans without the values, takes the rows of a
 * part for few, and would sort all of them for each page.
 */
function rowsInOrderSql(
  { order, page }: { order: readonly SortColumn[]; page: PageRequest },
  query: { columns: string; found: string; sort: string; limit: number },
): string {
  const { columns, found, limit } = query;
  const cut = `ORDER BY ${query.sort} LIMIT ${limit}`;
  const [first] = order;
  // An order by one column is that of an index.
  if (!first || order.length < 3) return `(SELECT ${columns} FROM ${found} ${cut})`;
  const [last, before] = first.descending === page.backward ? ['max', '<'] : ['min', '>'];
  const end = `(SELECT ${last}(${first.sql}) FROM near l)`;
  return `(WITH near AS MATERIALIZED (SELECT ${columns} FROM ${found} ORDER BY ${orderBySql([first], page.backward)} LIMIT ${limit})
    SELECT * FROM (SELECT * FROM near l WHERE ${first.sql} ${before} ${end} UNION ALL SELECT ${columns} FROM ${found} AND ${first.sql} = ${end}) l ${cut})`;
}
