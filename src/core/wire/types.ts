import type { Signal } from '../signal.ts';

/** A column as PostgreSQL prints it: `t`/`f`, `2026-01-05 10:00:00+00`, `{1,2}`. */
export type Cell = string | null;

/** Anything a parameter of a statement may be. */
export type Param =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Buffer
  | readonly (string | number | bigint | Buffer | null)[];

/** A row of text cells. */
export interface Row {
  readonly cells: Cell[];
  /** Some of the cells, without the others. */
  slice(from: number, to: number): Cell[];
}

/** Runs one statement; it is cancelled with the signal. */
export type Run<Result> = (
  sql: string,
  params: readonly Param[],
  signal?: Signal,
) => Promise<Result[]>;

/** How a database runs statements. */
export interface Statements {
  /** Runs one statement and returns rows of text cells in select order: the fast way to read. Prepared when the same text comes again. Cancelled with the signal. */
  rows: Run<Cell[]>;
  /** The same for a statement that only reads: those of one turn of the event loop share a round trip. For what is asked for often and answered quickly. */
  read: Run<Row>;
}

/** Told of every statement that begins, by its text, which never holds values; returns what is to be told of its end. */
export type OnStatement = (sql: string) => (failed: boolean) => void;
