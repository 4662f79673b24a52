import { Duplex } from 'node:stream';
import type { PGlite } from '@electric-sql/pglite';

/** A socket-like stream for `pg` that speaks the PostgreSQL wire protocol to an in-process PGlite. */
export class PGliteStream extends Duplex {
  #pending: Buffer = Buffer.alloc(0);
  #work: Promise<void> = Promise.resolve();
  #started = false;
  readonly #db: PGlite;

  constructor(db: PGlite) {
    super({ allowHalfOpen: false });
    this.#db = db;
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

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#pending = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#work = this.#work
      .then(() => this.#drain())
      .then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
  }

  /** Hands every whole message to PGlite; the first one (startup) has no type byte. */
  async #drain(): Promise<void> {
    for (;;) {
      const head = this.#started ? 1 : 0;
      if (this.#pending.length < head + 4) return;
      const length = head + this.#pending.readInt32BE(head);
      if (this.#pending.length < length) return;
      const message = this.#pending.subarray(0, length);
      this.#pending = this.#pending.subarray(length);
      if (!this.#started) {
        this.#started = true;
        // The pool drops a connection on which a statement failed, but PGlite has one session: what the old connection prepared would be in the way.
        await this.#db.exec('ROLLBACK');
        await this.#db.exec('DEALLOCATE ALL');
      } else if (message[0] === 'X'.charCodeAt(0)) {
        this.push(null);
        return;
      }
      await this.#db.runExclusive(() =>
        this.#db.execProtocolRawStream(message, {
          onRawData: (data: Uint8Array) => void this.push(Buffer.from(data)),
        }),
      );
    }
  }
}
