import type { TypedParams } from '../../../core/sql/statement.ts';
import { int4, instantText } from '../../../core/sql/types.ts';
import type { Cell, Row } from '../../../core/wire/wire.ts';
import { graphqlDecoder, type FeedReading } from './feed-codecs.ts';
import { columnOf, feedColumns, type FeedColumn } from './feed-columns.sql.ts';

/**
 * The position of each column in a row, and how to make its GraphQL value. Columns with the same SQL share a position.
 */
export interface FeedLayout {
  columns: ReadonlyMap<FeedColumn, { place: number; decode: ReturnType<typeof graphqlDecoder> }>;
  /** The select list over `f` and `s`. */
  sql: string;
  /** Number of cells in the row; further selected columns come after them. */
  width: number;
}

/** One feed as read from the database; values are decoded on demand. */
export class FeedRow {
  readonly row: Row;
  readonly layout: FeedLayout;
  readonly reading: FeedReading;

  constructor(row: Row, layout: FeedLayout, reading: FeedReading) {
    this.row = row;
    this.layout = layout;
    this.reading = reading;
  }

  /** The GraphQL value of a column in the layout. */
  get(column: FeedColumn): unknown {
    const known = this.layout.columns.get(column);
    if (!known) throw new Error(`the feed was read without ${column}`);
    return known.decode(this.row.cells[known.place] ?? null, this.reading);
  }

  /** The text of a column in the layout. */
  cell(column: FeedColumn): Cell {
    const known = this.layout.columns.get(column);
    if (!known) throw new Error(`the feed was read without ${column}`);
    return this.row.cells[known.place] ?? null;
  }

  get feedKey(): number {
    return Number(this.get('feed_key'));
  }

  // GraphQL reads each value as a property with the name of its field. A value that can't be decoded is returned as an
  // error, not thrown: GraphQL reports it as the error of the field either way, but compiled queries don't catch what a
  // property throws.
  static {
    for (const [name, column] of columnOf) {
      if (name in this.prototype) continue;
      Object.defineProperty(this.prototype, name, {
        get(this: FeedRow) {
          try {
            return this.get(column);
          } catch (error) {
            return error;
          }
        },
      });
    }
  }
}

const layouts = new Map<string, FeedLayout>();
const layoutsOf = new WeakMap<Iterable<FeedColumn>, FeedLayout>();

/** The layout of a set of columns; `feed_key` is always part of it and comes first. */
export function feedLayout(columns: Iterable<FeedColumn>): FeedLayout {
  let layout = layoutsOf.get(columns);
  if (!layout) layoutsOf.set(columns, (layout = makeLayout(columns)));
  return layout;
}

function makeLayout(columns: Iterable<FeedColumn>): FeedLayout {
  const all = [...new Set<FeedColumn>(['feed_key', ...columns])];
  const key = all.join();
  let layout = layouts.get(key);
  if (!layout) {
    if (layouts.size >= 1_000) layouts.clear();
    const cells = [...new Set(all.map((column) => feedColumns[column].sql))];
    const placed = all.map(
      (column) =>
        [
          column,
          {
            place: cells.indexOf(feedColumns[column].sql),
            decode: graphqlDecoder(feedColumns[column].type),
          },
        ] as const,
    );
    layouts.set(
      key,
      (layout = { columns: new Map(placed), sql: cells.join(', '), width: cells.length }),
    );
  }
  return layout;
}

/** What `:user` and `:overdueBefore` (epoch milliseconds) stand for. */
export interface NamedValues {
  user: number;
  overdueBefore: number;
}

/** Replaces `:user` and `:overdueBefore` by parameters, bound only when the statement uses them. */
export function bindNamed(sql: string, values: NamedValues, params: TypedParams): string {
  let user: string | undefined;
  let overdueBefore: string | undefined;
  let bound = '';
  for (const part of partsOf(sql)) {
    if (part === ':user') bound += user ??= params.add(int4, values.user);
    else if (part === ':overdueBefore')
      bound += overdueBefore ??= params.add(
        instantText,
        new Date(values.overdueBefore).toISOString(),
      );
    else bound += part;
  }
  return bound;
}

const parts = new Map<string, readonly string[]>();

/** Longer statements, of viewers with many departments, are parsed each time, so that the cache stays small. */
const REMEMBERED_LENGTH = 20_000;

/** The text between the names, and the names. */
function partsOf(sql: string): readonly string[] {
  let known = parts.get(sql);
  if (!known) {
    known = sql.split(/(?<!:)(:user|:overdueBefore)\b/);
    if (parts.size >= 1_000) parts.clear();
    if (sql.length <= REMEMBERED_LENGTH) parts.set(sql, known);
  }
  return known;
}
