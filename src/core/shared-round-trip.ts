import type { Connection, Submittable } from 'pg';
import type { TextQuery } from './text-query.ts';

/** Several statements that only read, sent in one write and answered in one: `pg` takes them for one query. After a statement that fails none of those behind it is run. */
export class SharedRoundTrip implements Submittable {
  /** Set by `pg`. */
  callback: ((error: Error | null) => void) | undefined;
  readonly #queries: readonly TextQuery[];
  #answered = 0;

  constructor(queries: readonly TextQuery[]) {
    this.#queries = queries;
  }

  /** The statement that the database is at; undefined after the last. */
  get current(): TextQuery | undefined {
    return this.#queries[this.#answered];
  }

  submit(connection: Connection): void {
    const { stream } = connection as Connection & { stream: { cork(): void; uncork(): void } };
    stream.cork();
    this.current?.begin();
    for (const query of this.#queries) query.send(connection);
    connection.sync();
    stream.uncork();
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.current?.handleDataRow(message);
  }

  handleCommandComplete(): void {
    this.current?.handleReadyForQuery();
    this.#answered++;
    this.current?.begin();
  }

  handleReadyForQuery(): void {
    this.callback?.(null);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }
}
