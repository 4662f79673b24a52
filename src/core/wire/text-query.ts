import type { ClientBase, Connection, Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import type { RowMessage } from './row-client.ts';
import { ResultTooLargeError } from './result-too-large-error.ts';
import { statementName, type StatementName } from './statement-names.ts';
import type { Signal } from '../signal.ts';
import type { OnStatement, Param } from './types.ts';
import { RowKeeper, type WireRow } from './wire-row.ts';

/** Members of connections that the types of `pg` leave out. */
interface Wire extends Connection {
  parsedStatements: Record<string, string | undefined>;
}

const EXECUTE = serialize.execute();
const SYNC = serialize.sync();

/** Sends messages in one write, followed by a Sync. */
export function sendMessages({ stream }: Connection, messages: readonly Buffer[]): void {
  if (stream.writable) stream.write(Buffer.concat([...messages, SYNC]));
}

/** A statement with its values and observers. */
export interface Statement {
  text: string;
  values: readonly Param[];
  prepares: boolean;
  onStatement: OnStatement | undefined;
  /** Bytes of rows that it may give. */
  most?: number;
  /** Told of the bytes of its rows. */
  signal?: Signal | undefined;
  /** Bytes of which the signal was told, by an earlier query for the same statement. */
  told?: number;
}

/**
 * One statement whose rows are kept as PostgreSQL sends them. Unlike queries of `pg`, it does not ask for the
 * description of the columns, creates no objects, and is sent in one write. Needs a connection of a RowClient. `pg`
 * calls the methods; the pool sets `callback`.
 */
export class TextQuery implements Submittable {
  callback: ((error: Error | null, rows?: WireRow[]) => void) | undefined;
  readonly text: string;
  readonly #statement: Statement;
  /** Undefined if it is not prepared. */
  readonly #prepared: StatementName | undefined;
  readonly #begin: ReturnType<OnStatement> | undefined;
  #end: ReturnType<ReturnType<OnStatement>> | undefined;
  #kept = new RowKeeper();
  #bytes = 0;
  readonly #most: number;

  constructor(statement: Statement, begin = statement.onStatement?.(statement.text)) {
    const { text, prepares } = statement;
    this.text = text;
    this.#statement = statement;
    this.#prepared = prepares ? statementName(text) : undefined;
    this.#begin = begin;
    this.#most = statement.most ?? Infinity;
  }

  /** A new query for the same statement, of the same request. */
  again(): TextQuery {
    return new TextQuery(this.#statement, this.#begin);
  }

  /**
   * Runs it on a connection that the caller holds. If it fails, the connection must be dropped, because its prepared
   * statements are then unknown.
   */
  runOn(client: ClientBase): Promise<WireRow[]> {
    return new Promise((resolve, reject) => {
      const answered: TextQuery['callback'] = (error, rows = []) =>
        error ? reject(error) : resolve(rows);
      this.callback = answered;
      client.query(this);
    });
  }

  submit(connection: Connection): void {
    this.begin();
    sendMessages(connection, this.messages(connection));
  }

  /** Called when it is its turn: the measured time starts here. */
  begin(): void {
    this.#end = this.#begin?.();
  }

  /** The messages to send; after them comes another statement, or a Sync. */
  messages(connection: Connection): Buffer[] {
    const { parsedStatements } = connection as Wire;
    const { name, text } = this.#prepared ?? { name: '', text: this.text };
    const before = name === '' ? undefined : parsedStatements[name];
    const bind = serialize.bind({ statement: name, values: this.#statement.values.map(encode) });
    if (before === text) return [bind, EXECUTE];
    if (name !== '') parsedStatements[name] = text;
    const parse = serialize.parse({ name, text, types: [] });
    return before === undefined
      ? [parse, bind, EXECUTE]
      : [serialize.close({ type: 'S', name }), parse, bind, EXECUTE];
  }

  handleDataRow({ bytes, start, size }: RowMessage): void {
    this.#bytes += size;
    const { signal, told = 0 } = this.#statement;
    if (signal?.took && this.#bytes > told) {
      signal.took(this.#bytes - told);
      this.#statement.told = this.#bytes;
    }
    if (this.#bytes <= this.#most && !signal?.aborted) this.#kept.keep(bytes, start, size);
    // What was kept is freed at once; the rest passes by.
    else this.#kept = new RowKeeper();
  }

  handleCommandComplete(): void {
    // The rows are complete when the connection is ready again.
  }

  handleEmptyQuery(): void {
    // No rows.
  }

  handleReadyForQuery(): void {
    if (this.#bytes > this.#most) return this.handleError(new ResultTooLargeError());
    const { signal } = this.#statement;
    if (signal?.aborted) return this.handleError(signal.reason as Error);
    this.#end?.(false);
    this.callback?.(null, this.#kept.rows);
  }

  handleError(error: Error): void {
    this.#end?.(true);
    this.callback?.(error);
  }
}

/** A parameter in the format that PostgreSQL reads. */
function encode(value: Param): string | Buffer | null {
  if (value === null || Buffer.isBuffer(value) || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value);
}

function element(value: string | number | bigint | Buffer | null): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`;
  return typeof value === 'string'
    ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    : String(value);
}
