import type { SignedInContext } from '../../core/context/context.ts';
import type { Cell, Row } from '../../core/wire/wire.ts';
import { TypedParams } from '../../core/sql/statement.ts';
import {
  beyond,
  castParam,
  decodeCursor,
  encodeCursor,
  orderBySql,
  type PageRequest,
  type SortColumn,
} from '../../core/lists/pagination.ts';
import { wallClock } from '../../core/time.ts';
import type { FeedColumn } from './fields/feed-columns.ts';
import type { FeedReading } from './fields/feed-codecs.ts';
import { bindNamed, feedLayout, FeedRow, type FeedLayout } from './fields/feed-row.ts';
import type { FeedSettings } from './selection/feed-settings.ts';
import type { FeedSource } from './selection/feed-visibility.ts';

export interface FeedPageQuery {
  sources: readonly FeedSource[];
  /** SQL conditions over `l`; every row must meet all of them. */
  conditions: (params: TypedParams) => string[];
  order: readonly SortColumn[];
  page: PageRequest;
  columns: Iterable<FeedColumn>;
  /**
   * Also find out whether there are rows on the other side of the page, against the paging direction (one more
   * look-up).
   */
  probe: boolean;
  settings: FeedSettings;
}

/** A page of feeds in list order. */
export interface FeedPage {
  rows: FeedRow[];
  /** Position of each row. */
  cursor(row: FeedRow): string;
  hasNextPage: boolean;
  /** For the side against the paging direction, this is only known with `probe`. */
  hasPreviousPage: boolean;
}

/**
 * Reads one page. Each source and each keyset branch is an index range read with a limit; their union, without
 * duplicates of feeds in several sources, is ordered and cut. So page 10,000 costs as much as page 1. An order whose
 * first column has few different values is read value by value, since no index could serve all possible orders; one
 * value almost always fills the page, so this is usually one statement too.
 */
export async function readFeedPage(ctx: SignedInContext, query: FeedPageQuery): Promise<FeedPage> {
  const { viewer } = ctx;
  const { order, page } = query;
  const position = page.cursor === undefined ? undefined : decodeCursor(order, page.cursor);
  const layout = feedLayout(query.columns);
  const named = { user: viewer.userId, overdueBefore: query.settings.overdueBefore };
  const reading = { now: ctx.clock(), clock: wallClock(viewer.timeZone) };
  const run = (sql: string, params: TypedParams): Promise<Row[]> =>
    ctx.reads.read(bindNamed(sql, named, params), params.values);
  const wanted = page.limit + 1;

  const readStep = (step: Step): Promise<Row[]> => {
    const params = new TypedParams();
    const source = rangeSql(query, { reversed: page.backward, limit: wanted, ...step }, params);
    const probe =
      position && query.probe && step.position ? `, ${behindSql(query, position, params)}` : '';
    const sql = `SELECT ${layout.sql}, ${order.map((column) => column.sql).join(', ')}${probe}
      FROM ${source} l JOIN feed f ON f.feed_key = l.feed_key LEFT JOIN feed_user_state s ON s.user_id = :user AND s.feed_key = l.feed_key
      ORDER BY ${orderBySql(order, page.backward)}`;
    return run(sql, params);
  };

  let behind =
    position === undefined || query.sources.length === 0 ? false : query.probe ? undefined : true;
  const found: Row[] = [];
  const byValue = order.length > 2 && order[0]?.fewValues === true;
  let step: Step | undefined = byValue
    ? { position, leading: position ? { at: position[0] ?? '' } : { first: true } }
    : { position };
  while (step && query.sources.length > 0 && found.length < wanted) {
    const rows = await readStep(step);
    if (step.position && query.probe && rows[0]) behind = rows[0].cells.at(-1) === 't';
    found.push(...rows);
    const leading: Cell | undefined =
      step.leading && ('at' in step.leading ? step.leading.at : rows[0]?.cells[layout.width]);
    step = leading == null ? undefined : { position: undefined, leading: { beyond: leading } };
  }
  if (behind === undefined && position) {
    const params = new TypedParams();
    behind =
      (await run(`SELECT ${behindSql(query, position, params)}`, params))[0]?.cells[0] === 't';
  }

  return toPage(found, { order, page, layout, reading, behind: behind === true });
}

/**
 * Makes the page from the rows that were read, in reading direction and with one extra row if there are more. Each row
 * has the columns of the order after those of the layout.
 */
export function toPage(
  found: readonly Row[],
  {
    order,
    page,
    layout,
    reading,
    behind,
  }: Pick<FeedPageQuery, 'order' | 'page'> & {
    layout: FeedLayout;
    reading: FeedReading;
    behind: boolean;
  },
): FeedPage {
  const ahead = found.length > page.limit;
  const kept = found.slice(0, page.limit);
  if (page.backward) kept.reverse();
  return {
    rows: kept.map((row) => new FeedRow(row, layout, reading)),
    cursor: ({ row }) => encodeCursor(order, row.slice(layout.width, layout.width + order.length)),
    hasNextPage: page.backward ? behind : ahead,
    hasPreviousPage: page.backward ? ahead : behind,
  };
}

/**
 * The part of the list to read: after a position; and in an order that is read value by value, the rows with this value
 * of the first column, with the first value there is, or with the first value beyond one.
 */
interface Step {
  position: readonly string[] | undefined;
  leading?: { at: string } | { first: true } | { beyond: string };
}

/** The rows of one step, ordered and cut: a query in parentheses over the sort columns. */
function rangeSql(
  query: FeedPageQuery,
  step: Step & { reversed: boolean; limit: number },
  params: TypedParams,
): string {
  const { order } = query;
  const { reversed, limit } = step;
  const sort = orderBySql(order, reversed);
  const columns = order.map((column) => column.sql).join(', ');
  const leading =
    step.leading && order[0]
      ? `${order[0].sql} = ${leadingSql(query, order[0], { leading: step.leading, reversed }, params)}`
      : undefined;
  const [rest, behind] = leading
    ? [order.slice(1), step.position?.slice(1)]
    : [order, step.position];
  const ranges = behind ? beyond(rest, behind, { reversed }, params) : ['true'];
  const conditions = [...query.conditions(params), ...(leading ? [leading] : [])];
  const parts = query.sources.flatMap((source) => {
    const from = source(params);
    return ranges.map(
      (range) =>
        `(SELECT ${columns} FROM ${from} AND ${[...conditions, range].join(' AND ')} ORDER BY ${sort} LIMIT ${limit})`,
    );
  });
  if (parts.length === 1) return parts[0] ?? '';
  const union = query.sources.length > 1 ? ' UNION ' : ' UNION ALL ';
  return `(SELECT * FROM (${parts.join(union)}) l ORDER BY ${sort} LIMIT ${limit})`;
}

/** The first column's value that a step reads; null if none is left, so that no row is found. */
function leadingSql(
  query: FeedPageQuery,
  column: SortColumn,
  { leading, reversed }: { leading: NonNullable<Step['leading']>; reversed: boolean },
  params: TypedParams,
): string {
  if ('at' in leading) return castParam(column, leading.at, params);
  const conditions = [
    ...query.conditions(params),
    ...('beyond' in leading ? beyond([column], [leading.beyond], { reversed }, params) : []),
  ]
    .map((condition) => ` AND ${condition}`)
    .join('');
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
function behindSql(query: FeedPageQuery, position: readonly string[], params: TypedParams): string {
  const { order, page } = query;
  const reversed = !page.backward;
  // Sorting by the first column keeps PostgreSQL on the index; any row that it finds will do.
  const sort = orderBySql(order.slice(0, 1), reversed);
  const conditions = query
    .conditions(params)
    .map((condition) => ` AND ${condition}`)
    .join('');
  const ranges = beyond(order, position, { reversed, inclusive: true }, params);
  const parts = query.sources.flatMap((source) => {
    const from = source(params);
    return ranges.map(
      (range) => `EXISTS (SELECT FROM ${from} AND ${range}${conditions} ORDER BY ${sort} LIMIT 1)`,
    );
  });
  return `(${parts.join(' OR ')})`;
}
