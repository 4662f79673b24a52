import type { Signal } from '../signal.ts';

/** A column as text, as PostgreSQL prints it: `t`/`f`, `2026-01-05 10:00:00+00`, `{1,2}`. */
export type Cell = string | null;

/** Any value that a parameter of a statement may have. */
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
  /** The cells from one position to before another, without decoding the rest. */
  slice(from: number, to: number): Cell[];
}

/** Runs one statement, which is cancelled with the signal. */
export type Run<Result> = (
  sql: string,
  params: readonly Param[],
  signal?: Signal,
) => Promise<Result[]>;

/** The ways to run statements. */
export interface Statements {
  /**
   * Runs one statement and returns rows of text cells in select order. The same text reuses its prepared statement.
   * Cancelled with the signal.
   */
  rows: Run<Cell[]>;
  /**
   * The same for a statement that only reads: those of one turn of the event loop share a round trip. For frequent,
   * quick reads, of at most 128 MiB: else ResultTooLargeError.
   */
  read: Run<Row>;
}

/** The statements of one transaction, from BEGIN to COMMIT. */
export interface TransactionStatements extends Statements {
  /**
   * Whether it has begun: it does with its first statement. Not a getter: V8 makes those of an object literal in its old
   * space, where they keep what they can reach, here the whole transaction, until the next full garbage collection.
   */
  hasBegun: () => boolean;
  /** Begins, unless it has: before the connection is used in another way. */
  begin: () => Promise<void>;
  /** Commits, together with the statements that `last` requests before it first waits. */
  commit: (last: () => Promise<void>) => Promise<void>;
  /** Refuses statements from now on: the connection is somebody else's. */
  end: () => void;
}

/**
 * Called for every statement that is requested, in the async context of who requests it, with its text, which never
 * contains values. Returns the function to call when it begins, which returns the one to call when it ends.
 */
export type OnStatement = (sql: string) => () => (failed: boolean) => void;
