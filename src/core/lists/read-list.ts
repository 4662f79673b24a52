import type { Database } from '../database/db.ts';
import type { Cell } from '../wire/wire.ts';
import { listBeyond, listLength, listPage, wholeList, type ListQuery } from './list.sql.ts';
import { decodeCursor, encodeCursor } from './cursors.ts';
import type { Connection, PageRequest } from './pagination.ts';

/** The part of a context that reading a list needs. */
interface Reader {
  reads: Pick<Database, 'rows' | 'read'>;
}

/** Reads the whole list. */
export async function readList<Row>(ctx: Reader, query: ListQuery<Row>): Promise<Row[]> {
  const rows = await wholeList.read(ctx.reads, { query });
  return rows.map(({ cells }) => query.read(cells));
}

/** Rows of a whole list that are read at once. */
const BATCH = 1_000;

/**
 * Reads a list that may be long in batches, so that none takes a connection, or memory, for long. Rows that come or go
 * meanwhile may be among them.
 */
export async function* readBatches<Row>(ctx: Reader, query: ListQuery<Row>): AsyncGenerator<Row[]> {
  const page = { limit: BATCH, backward: false };
  for (let position: string[] | undefined; ;) {
    const rows = (await listPage.read(ctx.reads, { query, page, position })).map(({ cells }) =>
      query.read(cells),
    );
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return;
    position = query.position(last).map(String);
  }
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
  const position = page.cursor === undefined ? undefined : decodeCursor(query.order, page);
  const read = async (
    statement: typeof listPage,
    backward: boolean,
    limit: number,
  ): Promise<Cell[][]> => {
    const rows = await statement.read(ctx.reads, { query, page: { limit, backward }, position });
    return rows.map((row) => row.cells);
  };
  const cells = await read(listPage, page.backward, page.limit + 1);
  const behind = position !== undefined && (await read(listBeyond, !page.backward, 1)).length > 0;
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
  const { count = 0 } = (await listLength.first(ctx.reads, { query })) ?? {};
  return count;
}
