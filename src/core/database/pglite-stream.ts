import { Duplex } from 'node:stream';
import type { EmbeddedSession } from './pglite-session.ts';

const TERMINATE = 'X'.charCodeAt(0);

type Done = (error?: Error | null) => void;

/** A socket-like stream for `pg` that speaks the PostgreSQL wire protocol to the session of an embedded database. */
export class PGliteStream extends Duplex {
  #pending: Buffer = Buffer.alloc(0);
  #work: Promise<void> = Promise.resolve();
  #started = false;
  readonly #session: EmbeddedSession;

  constructor(session: EmbeddedSession) {
    super({ allowHalfOpen: false });
    this.#session = session;
  }

  connect(): this {
    queueMicrotask(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    // Data is pushed as PGlite produces it.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#pending = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#work = this.#work
      .then(() => this.#drain())
      .then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
  }

  /** `pg` holds the messages of a statement back until it has written all: they are answered in one go. */
  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'binary', done);
  }

  /** Passes on what is complete; the first message (startup) has no type byte. */
  async #drain(): Promise<void> {
    if (!this.#started) {
      const length = this.#pending.length < 4 ? Infinity : this.#pending.readInt32BE(0);
      if (this.#pending.length < length) return;
      this.#started = true;
      // The pool drops a connection after a failed statement, but PGlite has only one session: prepared statements of
      // the old connection would get in the way.
      await this.#session.reset();
      await this.#answer(length);
    }
    let end = 0;
    while (this.#pending.length >= end + 5) {
      const length = 1 + this.#pending.readInt32BE(end + 1);
      if (this.#pending.length < end + length) break;
      if (this.#pending[end] === TERMINATE) {
        await this.#answer(end);
        this.push(null);
        return;
      }
      end += length;
    }
    await this.#answer(end);
  }

  /** Has the messages up to there answered. */
  async #answer(end: number): Promise<void> {
    if (end === 0) return;
    const messages = this.#pending.subarray(0, end);
    this.#pending = this.#pending.subarray(end);
    await this.#session.answer(
      messages,
      (bytes) => void this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    );
  }
}
