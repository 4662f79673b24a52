import type { Connection, Submittable } from 'pg';
import type { RowMessage } from './row-client.ts';
import { sendMessages, type TextQuery } from './text-query.ts';

/**
 * Several statements, sent in one write and answered together; `pg` sees one query. If a statement fails, those behind it
 * are not run.
 */
export class SharedRoundTrip implements Submittable {
  /** Set by `pg`. */
  callback: ((error: Error | null) => void) | undefined;
  readonly #queries: readonly TextQuery[];
  #answered = 0;

  constructor(queries: readonly TextQuery[]) {
    this.#queries = queries;
  }

  get texts(): string[] {
    return this.#queries.map(({ text }) => text);
  }

  /** The statement that is being answered; undefined after the last. */
  get current(): TextQuery | undefined {
    return this.#queries[this.#answered];
  }

  submit(connection: Connection): void {
    this.current?.begin();
    sendMessages(
      connection,
      this.#queries.flatMap((query) => query.messages(connection)),
    );
  }

  handleDataRow(message: RowMessage): void {
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
