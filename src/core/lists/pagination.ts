import { createHash } from 'node:crypto';
import type { TypedParams } from '../sql/statement.ts';
import {
  asText,
  int4,
  int8,
  text,
  timestamptz,
  uuid,
  type SqlType,
  type Types,
} from '../sql/types.ts';
import type { Cell } from '../wire/wire.ts';
import { AppError } from '../errors.ts';
import { isStorable } from '../text.ts';
import { isUuid } from '../uuid.ts';

/** One column of a total order. Its SQL expression is never null; the last column of an order is unique. */
export interface SortColumn {
  /** Name in the sort spec that a cursor is bound to. */
  name: string;
  sql: string;
  kind: keyof typeof kinds;
  descending: boolean;
  /** The column has only a few different values. */
  fewValues?: boolean;
}

/** A page of a list: `limit` rows after (or, going backward, before) a position, or from the start (the end). */
export interface PageRequest {
  limit: number;
  backward: boolean;
  /** Opaque position, exclusive. */
  cursor?: string | undefined;
}

export interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/**
 * A page of a list as an operation returns it to a GraphQL connection; parts that need their own query are functions,
 * called only when selected.
 */
export interface Connection<Node> extends PageInfo {
  rows: readonly Node[];
  cursor(row: Node): string;
  totalCount(): Promise<number>;
}

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

const INSTANT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?\+00$/;

/** How each kind of sort value is validated when a cursor comes back, and cast in SQL. */
const kinds = {
  instant: {
    type: asText(timestamptz),
    cast: 'timestamptz',
    check: (value: unknown) =>
      typeof value === 'string' &&
      INSTANT.test(value) &&
      !Number.isNaN(Date.parse(value.replace(' ', 'T').replace('+00', 'Z'))),
  },
  integer: {
    type: asText(int4),
    cast: 'int',
    check: (value: unknown) =>
      typeof value === 'string' &&
      /^-?\d{1,10}$/.test(value) &&
      Math.abs(Number(value)) <= 2_147_483_647,
  },
  key: {
    type: asText(int8),
    cast: 'bigint',
    check: (value: unknown) =>
      typeof value === 'string' &&
      /^\d{1,16}$/.test(value) &&
      Number(value) <= Number.MAX_SAFE_INTEGER,
  },
  text: {
    type: text,
    cast: 'text',
    check: (value: unknown) =>
      typeof value === 'string' && value.length <= 2_000 && isStorable(value),
  },
  uuid: {
    type: uuid,
    cast: 'uuid',
    check: (value: unknown) => typeof value === 'string' && isUuid(value),
  },
} satisfies Record<
  string,
  { type: SqlType<string, string>; cast: string; check: (value: unknown) => boolean }
>;

/**
 * Opaque list position: base64url of JSON `[1, order, [sort values]]`, where `order` is a digest of the order to which
 * it belongs (D-15). The same string in REST (`next_cursor`) and GraphQL (`endCursor`). Not signed: it gives access to
 * nothing that a page would not show.
 */
export function encodeCursor(order: readonly SortColumn[], values: readonly Cell[]): string {
  return Buffer.from(JSON.stringify([1, orderDigest(order), values])).toString('base64url');
}

/** The sort values in a cursor. Throws E901 when it is malformed, of another version or of another order. */
export function decodeCursor(order: readonly SortColumn[], cursor: string): string[] {
  const unusable = (): AppError => new AppError('E901');
  if (cursor.length > 8_000 || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw unusable();
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw unusable();
  }
  const parts: unknown[] = Array.isArray(decoded) ? decoded : [];
  const [version, digest, values] = parts;
  if (
    parts.length !== 3 ||
    version !== 1 ||
    digest !== orderDigest(order) ||
    !Array.isArray(values) ||
    values.length !== order.length
  )
    throw unusable();
  return order.map((column, index) => {
    const value: unknown = values[index];
    if (typeof value !== 'string' || !kinds[column.kind].check(value)) throw unusable();
    return value;
  });
}

const digests = new WeakMap<readonly SortColumn[], string>();

function orderDigest(order: readonly SortColumn[]): string {
  let digest = digests.get(order);
  if (digest === undefined) {
    const spec = order.map((column) => `${column.name} ${column.descending ? 'D' : 'A'}`).join(',');
    digest = createHash('sha256').update(spec).digest('hex').slice(0, 8);
    digests.set(order, digest);
  }
  return digest;
}

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
    .map((column) => `${column.sql} ${column.descending === reversed ? 'ASC' : 'DESC'}`)
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

/**
 * The page for Relay's four arguments, `defaultSize` rows unless they say otherwise. Throws E112 when both cursors are
 * given (D-17) and BAD_USER_INPUT for other invalid combinations (D-06).
 */
export function pageFromConnectionArgs(
  args: {
    first?: number | null | undefined;
    after?: string | null | undefined;
    last?: number | null | undefined;
    before?: string | null | undefined;
  },
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
