import { createHash } from 'node:crypto';
import type { ClientBase, Connection, Submittable } from 'pg';
import type { Cell, Param } from './db.ts';

/** What the typings of `pg` leave out of its connections. */
interface Wire extends Connection {
  parsedStatements: Record<string, string | undefined>;
}

/**
 * One statement whose rows are kept as PostgreSQL prints them. Unlike the queries of `pg` it does not ask what the columns are, makes no objects, and
 * leaves in one write. `pg` calls the methods; `callback` is set by the pool.
 */
export class TextQuery implements Submittable {
  callback: ((error: Error | null, rows?: Cell[][]) => void) | undefined;
  /** Under which `pg` remembers that a connection has prepared the statement. */
  readonly name: string;
  readonly text: string;
  readonly #values: readonly (string | Buffer | null)[];
  readonly #rows: Cell[][] = [];

  constructor(text: string, values: readonly Param[], prepared: boolean) {
    this.text = text;
    this.name = prepared ? statementName(text) : '';
    this.#values = values.map(encode);
  }

  /** Runs it on a connection that the caller holds. */
  runOn(client: ClientBase): Promise<Cell[][]> {
    // Called as the pool calls it, so that what watches the statements of a connection sees this one; the typings know the callback only of other queries.
    const query = client.query.bind(client) as unknown as (query: TextQuery, values: undefined, callback: NonNullable<TextQuery['callback']>) => void;
    return new Promise((resolve, reject) => query(this, undefined, (error, rows = []) => (error ? reject(error) : resolve(rows))));
  }

  submit(connection: Connection): void {
    const { stream, parsedStatements } = connection as Wire;
    const { name, text } = this;
    stream.cork();
    if (name === '' || parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values: [...this.#values] }, true);
    connection.execute({}, true);
    connection.sync();
    stream.uncork();
  }

  handleDataRow(message: { fields: Cell[] }): void {
    this.#rows.push(message.fields);
  }

  handleCommandComplete(): void {
    // The rows are complete when the connection is ready again.
  }

  handleEmptyQuery(): void {
    // No rows.
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this.#rows);
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }
}

const names = new Map<string, string>();

/** Names a statement for preparation. At most 500 texts are named, so that no client can fill a server's memory with prepared statements. */
function statementName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined && names.size < 500) {
    name = `t${createHash('sha256').update(sql).digest('hex').slice(0, 16)}`;
    names.set(sql, name);
  }
  return name ?? '';
}

/** A parameter as PostgreSQL reads it. */
function encode(value: Param): string | Buffer | null {
  if (value === null || Buffer.isBuffer(value) || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value);
}

function element(value: string | number | bigint | Buffer | null): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  return typeof value === 'string' ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : String(value);
}
