import type pg from 'pg';
import { runCancellable } from './run-cancellable.ts';
import type { Cell, Param, Row, Run, Statements } from './types.ts';

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
  const rows: Run<Cell[]> = async (text, params, signal) => {
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
    return answer.rows;
  };
  return {
    rows,
    read: async (sql, params, signal) =>
      (await rows(sql, params, signal)).map((cells) => new PlainRow(cells)),
  };
}
