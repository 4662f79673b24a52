import { beyond, castParam, orderBySql, orderTypes } from '../../core/lists/pagination.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { instantOf, type SortColumn } from '../../core/lists/sort-column.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import {
  cellStatementFor,
  statementFor,
  unseen,
  type TypedParams,
} from '../../core/sql/statement.ts';
import { bool, int8, int8s } from '../../core/sql/types.ts';
import { columnTypes } from './fields/feed-columns.sql.ts';
import { bindNamed, type FeedLayout, type NamedValues } from './fields/feed-row.ts';
import { rowsAcrossSql, RUNS_ACROSS } from './selection/feed-filter.sql.ts';
import { childSource, visibleFeedSql, type FeedSource } from './selection/feed-visibility.sql.ts';

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
 * rows with this value of the first column, with the first value there is, or with the first value beyond one.
 */
export interface Step {
  position: readonly string[] | undefined;
  part?: ListPart | undefined;
  leading?: { at: string } | { first: true } | { beyond: string };
}

/** The columns of a layout, which are first in a row, and of an order. */
const placedTypes = (layout: FeedLayout, order: readonly SortColumn[]) => ({
  ...columnTypes(layout.columns.keys()),
  ...orderTypes(order),
});

/**
 * The rows of one step, and one more: the columns of the layout and of the order; and, to `probe` a position, whether
 * there are rows at it or before it.
 */
export const feedPage = cellStatementFor({
  text: (
    args: {
      query: FeedRows;
      layout: FeedLayout;
      step: Step;
      probe: readonly string[] | undefined;
      named: NamedValues;
    },
    params,
  ) => {
    const { query, layout, step } = args;
    const { order, page } = query;
    const source = rangeSql(query, step, params);
    const probe = args.probe ? `, ${behindSql(query, args.probe, params)}` : '';
    const sql = `SELECT ${layout.sql}, ${order.map((column) => column.sql).join(', ')}${probe}
      FROM ${source} l JOIN feed f ON f.feed_key = l.feed_key LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = l.feed_key
      ORDER BY ${orderBySql(order, page.backward)}`;
    return bindNamed(sql, args.named, params);
  },
  columns: ({ layout, query, probe }) => ({
    ...placedTypes(layout, query.order),
    ...(probe && { '(behind)': bool }),
  }),
});

/** Whether there are rows at a position or before it, in reading direction. */
export const feedsBehind = cellStatementFor({
  text: (args: { query: FeedRows; position: readonly string[]; named: NamedValues }, params) =>
    bindNamed(`SELECT ${behindSql(args.query, args.position, params)}`, args.named, params),
  columns: () => ({ '(behind)': bool }),
});

/** The first rows, and one more, below each of these feeds: the columns of the layout and of the order, and the parent. */
export const childPages = cellStatementFor({
  text: (
    args: {
      parents: readonly number[];
      layout: FeedLayout;
      order: readonly SortColumn[];
      page: PageRequest;
      viewer: Viewer;
      named: NamedValues;
    },
    params,
  ) => {
    const columns = args.order.map((column) => column.sql).join(', ');
    const sort = orderBySql(args.order, args.page.backward);
    const keys = params.add(int8s, args.parents);
    const sql = `SELECT ${args.layout.sql}, ${columns}, k.parent
    FROM unnest(${keys}::bigint[]) k(parent)
    CROSS JOIN LATERAL (SELECT ${columns} FROM ${childSource('k.parent', args.viewer)(params)} ORDER BY ${sort} LIMIT ${args.page.limit + 1}) l
    JOIN feed f ON f.feed_key = l.feed_key LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = l.feed_key
    ORDER BY ${sort}`;
    return bindNamed(sql, args.named, params);
  },
  columns: ({ layout, order }) => ({ ...placedTypes(layout, order), parent: int8 }),
});

/** How many rows are below each of these feeds. */
export const childCounts = statementFor({
  text: ({ parents, viewer }: { parents: readonly number[]; viewer: Viewer }, params) => {
    const keys = params.add(int8s, parents);
    return `SELECT k.parent, (SELECT count(*) FROM ${childSource('k.parent', viewer)(params)}) FROM unnest(${keys}::bigint[]) k(parent)`;
  },
  row: { parent: int8, count: int8 },
});

interface Wanted {
  keys: readonly number[];
  layout: FeedLayout;
  named: NamedValues;
}

const wantedSql = ({ layout }: Wanted, keys: string): string =>
  `SELECT ${layout.sql} FROM feed f LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = f.feed_key
    WHERE f.feed_key = ANY (${unseen(`${keys}::bigint[]`)}::bigint[])`;
const wantedTypes = ({ layout }: Wanted) => columnTypes(layout.columns.keys());

/** Those of the feeds that the viewer may see. */
export const visibleFeeds = cellStatementFor({
  text: (args: Wanted & { viewer: Viewer }, params) => {
    const sql = wantedSql(args, params.add(int8s, args.keys));
    const visible = visibleFeedSql('f.feed_key', args.viewer, params);
    return bindNamed(`${sql} AND ${visible}`, args.named, params);
  },
  columns: wantedTypes,
});

/** Those of the feeds that are in one of the sources and meet the conditions. */
export const selectedFeeds = cellStatementFor({
  text: (args: Wanted & Pick<FeedRows, 'sources' | 'conditions'>, params) => {
    const sql = wantedSql(args, params.add(int8s, args.keys));
    const conditions = andSql(args.conditions(params));
    const held = args.sources
      .map(
        (source) =>
          `EXISTS (SELECT FROM ${source(params)} AND l.feed_key = f.feed_key${conditions})`,
      )
      .join(' OR ');
    return bindNamed(`${sql} AND (${held})`, args.named, params);
  },
  columns: wantedTypes,
});

const andSql = (conditions: readonly string[]): string =>
  conditions.map((condition) => ` AND ${condition}`).join('');

/** The rows of one step, ordered and cut: a query in parentheses over the sort columns. */
function rangeSql(query: FeedRows, step: Step, params: TypedParams): string {
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
  const ranges = behind ? beyond(rest, behind, { reversed }, params) : ['true'];
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
      const rows = `(SELECT ${columns} FROM ${from} AND ${[...conditions, range].join(' AND ')} ORDER BY ${sort} LIMIT ${limit})`;
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
function behindSql(query: FeedRows, position: readonly string[], params: TypedParams): string {
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
