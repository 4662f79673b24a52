import type { TypedParams } from '../sql/statement.ts';
import type { Types } from '../sql/types.ts';
import { AppError } from '../errors.ts';
import { kinds, type SortColumn } from './sort-column.ts';

/** A page of a list: `limit` rows after (or, going backward, before) a position, or from the start (the end). */
export interface PageRequest {
  limit: number;
  backward: boolean;
  /** Opaque position, exclusive. */
  cursor?: string | undefined;
}

/** A page of a list, in its order. */
export interface Page<Row> {
  rows: readonly Row[];
  /** Position of a row. */
  cursor(row: Row): string;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A page as an operation returns it to a GraphQL connection: what needs its own query is called only when selected. */
export interface Connection<Node> extends Page<Node> {
  totalCount(): Promise<number>;
}

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** The types of the columns of an order, by their SQL. */
export function orderTypes(order: readonly SortColumn[]): Types {
  return Object.fromEntries(order.map(({ sql, kind }) => [sql, kinds[kind].type]));
}

/** Binds a sort value, cast to the type of its column. */
export function castParam(column: SortColumn, value: string | null, params: TypedParams): string {
  const { type, cast } = kinds[column.kind];
  return `${params.add(type, value)}::${cast}`;
}

/** `ORDER BY` list; reversed for a page that is read backward. */
export function orderBySql(order: readonly SortColumn[], reversed: boolean): string {
  return order
    .flatMap(({ sql, within, descending }) => {
      const direction = descending === reversed ? 'ASC' : 'DESC';
      return (within === undefined ? [sql] : [within, sql]).map(
        (column) => `${column} ${direction}`,
      );
    })
    .join(', ');
}

/**
 * Conditions, disjoint and in list order, whose union is "strictly beyond this position" (or, with `inclusive`, also at
 * it), in list order or reversed. One row comparison if all columns run in the same direction; otherwise one condition
 * per prefix, because PostgreSQL can't read an index range for their OR. Read each with ORDER BY and LIMIT, and join
 * them with UNION ALL.
 */
export function beyond(
  order: readonly SortColumn[],
  position: readonly string[],
  options: { reversed: boolean; inclusive?: boolean },
  params: TypedParams,
): string[] {
  const bound = order.map((column, index) => castParam(column, position[index] ?? null, params));
  const columns = order.map((column) => column.sql);
  const sign = (column: SortColumn): string => (column.descending === options.reversed ? '>' : '<');
  const signs = order.map(sign);
  const orEqual = options.inclusive ? '=' : '';
  if (new Set(signs).size === 1)
    return [`(${columns.join(', ')}) ${signs[0] ?? '>'}${orEqual} (${bound.join(', ')})`];
  return order
    .map((_, index) => {
      const last = index === order.length - 1;
      const equal = columns.slice(0, index).map((column, at) => `${column} = ${bound[at] ?? ''}`);
      return [
        ...equal,
        `${columns[index] ?? ''} ${signs[index] ?? ''}${last ? orEqual : ''} ${bound[index] ?? ''}`,
      ].join(' AND ');
    })
    .reverse();
}

/** Relay's arguments of a connection. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/**
 * The page for Relay's four arguments, `defaultSize` rows unless they say otherwise. Throws E112 when both cursors are
 * given (D-17) and BAD_USER_INPUT for other invalid combinations (D-06).
 */
export function pageFromConnectionArgs(
  args: ConnectionArgs,
  defaultSize = DEFAULT_PAGE_SIZE,
): PageRequest {
  const { first, last } = args;
  const after = args.after || undefined;
  const before = args.before || undefined;
  if (after !== undefined && before !== undefined)
    throw new AppError('E112', { message: 'Send after or before, not both' });
  const refuse = (message: string): never => {
    throw new AppError('E900', { message });
  };
  if (first != null && last != null) refuse('Send first or last, not both');
  if (first != null && before !== undefined) refuse('before goes with last');
  if (last != null && after !== undefined) refuse('after goes with first');
  const limit = first ?? last ?? defaultSize;
  if (limit < 0 || limit > MAX_PAGE_SIZE)
    refuse(`${last == null ? 'first' : 'last'} must be between 0 and ${MAX_PAGE_SIZE}`);
  return { limit, backward: last != null || before !== undefined, cursor: after ?? before };
}
