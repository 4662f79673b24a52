import { cellStatementFor, decoderOf, statementFor, type TypedParams } from '../sql/statement.ts';
import { int4, int8, uuid, uuids, type RowOf, type Types } from '../sql/types.ts';
import type { Cell } from '../wire/wire.ts';
import { beyond, orderBySql, orderTypes, type PageRequest } from './pagination.ts';
import type { SortColumn } from './sort-column.ts';

/** What the statements below need of a list. */
interface Source {
  columns: string;
  /** The types of the columns. */
  row: Types;
  /** `FROM … WHERE …`. */
  source: (params: TypedParams) => string;
  order: readonly SortColumn[];
}

/** A list of rows in a total order. */
export interface ListQuery<Row> extends Source {
  read: (cells: readonly Cell[]) => Row;
  /** The row's values in the columns of the order. */
  position: (row: Row) => readonly Cell[];
}

/** Writes the id of a parent, a uuid, in SQL; `k.parent` for the lists below many parents. */
export type ParentSql = (params: TypedParams) => string;

/** A list that a `*.sql.ts` file declares. The test of statements prepares those below for each of its samples. */
export class List<Args, R extends Types> {
  readonly columns: string;
  readonly row: R;
  readonly source: (args: Args, params: TypedParams) => string;
  readonly order: readonly SortColumn[];
  /** Arguments for each variant of the source, given a parent. */
  readonly samples: (parent: ParentSql) => readonly Args[];
  readonly #decode: (cells: readonly Cell[]) => RowOf<R>;

  constructor(of: Pick<List<Args, R>, 'columns' | 'row' | 'source' | 'order' | 'samples'>) {
    this.columns = of.columns;
    this.row = of.row;
    this.source = of.source;
    this.order = of.order;
    this.samples = of.samples;
    this.#decode = decoderOf(of.row);
  }

  /** The list for some arguments, with rows as `make` makes them. */
  query<Row>(
    args: Args,
    make: (row: RowOf<R>) => Row,
    position: ListQuery<Row>['position'],
  ): ListQuery<Row> {
    const { columns, row, order } = this;
    return {
      columns,
      row,
      order,
      source: (params) => this.source(args, params),
      read: (cells) => make(this.#decode(cells)),
      position,
    };
  }
}

/** The order of workspaces, datasets, images and projects: by creation. */
export function creationOrder(instant: string, id: string): readonly SortColumn[] {
  return [
    { name: 'created', sql: instant, kind: 'instant', descending: false },
    { name: 'id', sql: id, kind: 'uuid', descending: false },
  ];
}

const rowOf = ({ query }: { query: Source }): Types => query.row;

export const wholeList = cellStatementFor({
  text: ({ query }: { query: Source }, params) =>
    `SELECT ${query.columns} ${query.source(params)} ORDER BY ${orderBySql(query.order, false)}`,
  columns: rowOf,
});

interface Page {
  query: Source;
  page: Pick<PageRequest, 'limit' | 'backward'>;
  position: readonly string[] | undefined;
}

function rangeSql(
  columns: string,
  { query, page, position }: Page,
  inclusive: boolean,
  params: TypedParams,
): string {
  const { order } = query;
  const reversed = page.backward;
  const source = query.source(params);
  const range = position
    ? ` AND (${beyond(order, position, { reversed, inclusive }, params).join(' OR ')})`
    : '';
  return `SELECT ${columns} ${source}${range} ORDER BY ${orderBySql(order, reversed)} LIMIT ${page.limit}`;
}

/** The rows from one end, or beyond a position. */
export const listPage = cellStatementFor({
  text: (page: Page, params) => rangeSql(page.query.columns, page, false, params),
  columns: rowOf,
});

/** Whether there is a row at a position or beyond it. */
export const listBeyond = cellStatementFor({
  text: (page: Page, params) => rangeSql('1', page, true, params),
  columns: () => ({ '(beyond)': int4 }),
});

export const listLength = statementFor({
  text: ({ query }: { query: Source }, params) => `SELECT count(*) ${query.source(params)}`,
  row: { count: int8 },
});

export const numberedPage = cellStatementFor({
  text: (args: { query: Source; limit: number; offset: number }, params) => {
    const { columns, source, order } = args.query;
    const from = source(params);
    const limit = params.add(int4, args.limit);
    const offset = params.add(int8, args.offset);
    return `SELECT ${columns} ${from} ORDER BY ${orderBySql(order, false)} LIMIT ${limit}::int OFFSET ${offset}::bigint`;
  },
  columns: rowOf,
});

/** The first rows below each of these parents: the columns of the list, the parent, and the columns of the order. */
export const pagesBelowParents = cellStatementFor({
  text: (
    { query, page, parents }: Omit<Page, 'position'> & { parents: readonly string[] },
    params,
  ) => {
    const { columns, source, order } = query;
    const keys = params.add(uuids, parents);
    const places = order.map((column, index) => ({ ...column, place: `place${index}` }));
    return `SELECT l.* FROM unnest(${keys}::uuid[]) k(parent) CROSS JOIN LATERAL (
       SELECT ${columns}, k.parent, ${places.map(({ sql, place }) => `${sql} AS ${place}`).join(', ')}
       ${source(params)} ORDER BY ${orderBySql(order, page.backward)} LIMIT ${page.limit}) l
     ORDER BY ${orderBySql(
       places.map((column) => ({ ...column, sql: `l.${column.place}` })),
       page.backward,
     )}`;
  },
  columns: ({ query }) => ({
    ...query.row,
    parent: uuid,
    ...Object.fromEntries(
      Object.values(orderTypes(query.order)).map((type, index) => [`place${index}`, type]),
    ),
  }),
});

/** How long the list below each of these parents is. */
export const lengthsBelow = statementFor({
  text: ({ query, parents }: { query: Source; parents: readonly string[] }, params) => {
    const keys = params.add(uuids, parents);
    return `SELECT k.parent, (SELECT count(*) ${query.source(params)}) FROM unnest(${keys}::uuid[]) k(parent)`;
  },
  row: { parent: uuid, count: int8 },
});
