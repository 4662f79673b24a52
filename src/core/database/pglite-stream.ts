import { Duplex } from 'node:stream';
import type { EmbeddedSession } from './pglite-session.ts';

const TERMINATE = 'X'.charCodeAt(0);

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

  /** Passes on each message once it is complete; the first one (startup) has no type byte. */
  async #drain(): Promise<void> {
    const messages: Buffer[] = [];
    let ends = false;
    while (!ends) {
      const head = this.#started ? 1 : 0;
      if (this.#pending.length < head + 4) break;
      const length = head + this.#pending.readInt32BE(head);
      if (this.#pending.length < length) break;
      const message = this.#pending.subarray(0, length);
      this.#pending = this.#pending.subarray(length);
      if (!this.#started) {
        this.#started = true;
        // The pool drops a connection after a failed statement, but PGlite has only one session: prepared statements of
        // the old connection would get in the way.
        await this.#session.reset();
      }
      ends = head === 1 && message[0] === TERMINATE;
      if (!ends) messages.push(message);
    }
    if (messages.length > 0)
      await this.#session.answer(
        messages,
        (bytes) => void this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
      );
    if (ends) this.push(null);
  }
}
