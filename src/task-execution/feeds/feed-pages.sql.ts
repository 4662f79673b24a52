import { orderBySql, orderTypes } from '../../core/lists/pagination.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import type { SortColumn } from '../../core/lists/sort-column.ts';
import type { Viewer } from '../../core/context/viewer.ts';
import { cellStatementFor, statementFor, unseen } from '../../core/sql/statement.ts';
import { bool, int8, int8s } from '../../core/sql/types.ts';
import { columnTypes } from './fields/feed-columns.sql.ts';
import { bindNamed, type FeedLayout, type NamedValues } from './fields/feed-row.ts';
import { childSource, visibleFeedSql } from './selection/feed-visibility.sql.ts';
import {
  andSql,
  behindSql,
  rangeSql,
  type FeedRows,
  type Step,
} from './selection/list-ranges.sql.ts';

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
