import type { Database } from '../database/db.ts';
import type { Cell } from '../wire/wire.ts';
import { TypedParams } from '../sql/statement.ts';
import {
  beyond,
  decodeCursor,
  encodeCursor,
  orderBySql,
  type Connection,
  type PageRequest,
  type SortColumn,
} from './pagination.ts';

/** The part of a context that reading a list needs. */
interface Reader {
  reads: Pick<Database, 'rows' | 'read'>;
}

/** A list of rows in a total order. */
export interface ListQuery<Row> {
  columns: string;
  /** `FROM … WHERE …`. */
  source: (params: TypedParams) => string;
  order: readonly SortColumn[];
  read: (cells: readonly Cell[]) => Row;
  /** The row's values in the columns of the order. */
  position: (row: Row) => readonly Cell[];
}

/** The order of workspaces, datasets, images and projects: by creation. */
export function creationOrder(instant: string, id: string): readonly SortColumn[] {
  return [
    { name: 'created', sql: instant, kind: 'instant', descending: false },
    { name: 'id', sql: id, kind: 'uuid', descending: false },
  ];
}

/** Reads the whole list. */
export async function readList<Row>(ctx: Reader, query: ListQuery<Row>): Promise<Row[]> {
  const params = new TypedParams();
  const sql = `SELECT ${query.columns} ${query.source(params)} ORDER BY ${orderBySql(query.order, false)}`;
  return (await ctx.reads.rows(sql, params.values)).map(query.read);
}

/**
 * Reads one page by keyset; checking whether rows lie on the other side costs one more look-up. Throws E901 for a
 * cursor of another list.
 */
export async function readPage<Row>(
  ctx: Reader,
  query: ListQuery<Row>,
  page: PageRequest,
): Promise<Connection<Row>> {
  const { order } = query;
  const position = page.cursor === undefined ? undefined : decodeCursor(order, page.cursor);
  const select = async (
    columns: string,
    reversed: boolean,
    inclusive: boolean,
    limit: number,
  ): Promise<Cell[][]> => {
    const params = new TypedParams();
    const source = query.source(params);
    const range = position
      ? ` AND (${beyond(order, position, { reversed, inclusive }, params).join(' OR ')})`
      : '';
    const rows = await ctx.reads.read(
      `SELECT ${columns} ${source}${range} ORDER BY ${orderBySql(order, reversed)} LIMIT ${limit}`,
      params.values,
    );
    return rows.map(({ cells }) => cells);
  };
  const cells =
    page.limit === 0 ? [] : await select(query.columns, page.backward, false, page.limit + 1);
  const behind = position !== undefined && (await select('1', !page.backward, true, 1)).length > 0;
  return pageOf(query, page, { cells, behind, totalCount: () => countList(ctx, query) });
}

/** Makes the page from the rows that were read, in reading direction and with one extra row if there are more. */
export function pageOf<Row>(
  query: ListQuery<Row>,
  page: PageRequest,
  read: { cells: readonly (readonly Cell[])[]; behind: boolean; totalCount: () => Promise<number> },
): Connection<Row> {
  const ahead = read.cells.length > page.limit;
  const rows = read.cells.slice(0, page.limit).map(query.read);
  if (page.backward) rows.reverse();
  return {
    rows,
    cursor: (row) => cursorOf(query, row),
    hasNextPage: page.backward ? read.behind : ahead,
    hasPreviousPage: page.backward ? ahead : read.behind,
    totalCount: read.totalCount,
  };
}

/** The position of a row, for the edge that a mutation returns. */
export function cursorOf<Row>(query: Pick<ListQuery<Row>, 'order' | 'position'>, row: Row): string {
  return encodeCursor(query.order, query.position(row));
}

/** The length of the list. */
export async function countList<Row>(ctx: Reader, query: ListQuery<Row>): Promise<number> {
  const params = new TypedParams();
  const [row] = await ctx.reads.rows(`SELECT count(*) ${query.source(params)}`, params.values);
  return Number(row?.[0] ?? 0);
}
