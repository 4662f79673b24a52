import type pg from 'pg';
import { MOST_OF_READ, ResultTooLargeError } from './result-too-large-error.ts';
import type { Signal } from '../signal.ts';
import { runCancellable } from './run-cancellable.ts';
import { TransactionOverError } from './transaction-over-error.ts';
import type { Cell, Param, Row, Statements, TransactionStatements } from './types.ts';

/** A row whose cells were made by `pg`. */
class PlainRow implements Row {
  readonly cells: Cell[];

  constructor(cells: Cell[]) {
    this.cells = cells;
  }

  slice(from: number, to: number): Cell[] {
    return this.cells.slice(from, to);
  }
}

/** Leaves every column as the text that PostgreSQL prints. */
const asText = { getTypeParser: () => (cell: string) => cell };

/** Runs each statement separately with `pg`, without the fast lane. */
export function plainStatements(
  on: pg.Pool | pg.ClientBase,
  { cancels }: { cancels: boolean },
): Statements {
  const run = async (
    text: string,
    params: readonly Param[],
    signal: Signal | undefined,
  ): Promise<{ rows: Cell[][]; bytes: number }> => {
    const query = {
      text,
      values: [...params] as Param[],
      rowMode: 'array' as const,
      types: asText,
    };
    signal?.throwIfAborted();
    const answer =
      signal && 'totalCount' in on
        ? await runCancellable(on, { signal, cancels }, (client) => client.query<Cell[]>(query))
        : await on.query<Cell[]>(query);
    let bytes = 0;
    for (const cells of answer.rows) for (const cell of cells) bytes += cell?.length ?? 0;
    signal?.took?.(bytes);
    signal?.throwIfAborted();
    return { rows: answer.rows, bytes };
  };
  return {
    rows: async (sql, params, signal) => (await run(sql, params, signal)).rows,
    read: async (sql, params, signal) => {
      const { rows, bytes } = await run(sql, params, signal);
      if (bytes > MOST_OF_READ) throw new ResultTooLargeError();
      return rows.map((cells) => new PlainRow(cells));
    },
  };
}

/** The statements of a transaction, each sent alone. */
export function plainTransaction(client: pg.ClientBase): TransactionStatements {
  const { rows, read } = plainStatements(client, { cancels: false });
  let begun: Promise<unknown> | undefined;
  let ended = false;
  const begin = async (): Promise<void> => {
    if (ended) throw new TransactionOverError();
    // All wait for it, so that statements that are requested together are sent in their order.
    await (begun ??= client.query('BEGIN'));
  };
  return {
    hasBegun: () => begun !== undefined,
    begin,
    rows: async (...statement) => {
      await begin();
      return rows(...statement);
    },
    read: async (...statement) => {
      await begin();
      return read(...statement);
    },
    async commit(last) {
      await last();
      ended = true;
      if (begun) await client.query('COMMIT');
    },
    end: () => void (ended = true),
  };
}
