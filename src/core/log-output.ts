import { write, writeSync } from 'node:fs';
import { codeOf } from './errors.ts';

/** What may wait for a reader that is slower than the log, in characters. */
const MOST_WAITING = 8_388_608;
/** A pipe that was full is tried again after this time, in milliseconds. */
const PAUSE = 100;
/** How often at the end of the process, before its last lines are given up: for a second. */
const LAST_TRIES = 10;
const NEWLINE = 10;

/**
 * Writes lines to a file descriptor, in other threads, together what came in the meantime. Lines that can't be written,
 * as the disk is full or the reader has gone, are lost: nothing waits for them. (pino's own destination keeps them in
 * memory, and at the end tries for ever.)
 */
export class LogOutput {
  readonly #fd: number;
  readonly #onLost: (reason: string) => void;
  readonly #onWritable: (lines: number) => void;
  #waiting = '';
  #chunk: Uint8Array = new Uint8Array();
  #state: 'idle' | 'writing' | 'pausing' = 'idle';
  /** Whether the last line was written in part. */
  #isTorn = false;
  #lost = 0;

  /** `lost` is called with the first line that is lost, `writable` with how many were once all is written again. */
  constructor(
    fd: number,
    on: { lost: (reason: string) => void; writable: (lines: number) => void },
  ) {
    this.#fd = fd;
    this.#onLost = on.lost;
    this.#onWritable = on.writable;
  }

  write(line: string): void {
    if (this.#waiting.length > MOST_WAITING) return this.#lose(1, 'its reader is too slow');
    this.#waiting += line;
    if (this.#state === 'idle') this.#begin();
  }

  /** Writes what waits; to be called at the end of the process. */
  end(): void {
    const rest = Buffer.from(this.#waiting);
    let bytes = this.#state === 'pausing' ? Buffer.concat([this.#chunk, rest]) : rest;
    this.#waiting = '';
    for (let tries = 0; bytes.length > 0;) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes));
      } catch (error) {
        if (!isFullPipe(error) || ++tries > LAST_TRIES) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
      }
    }
  }

  #begin(): void {
    this.#chunk = Buffer.from(this.#isTorn ? `\n${this.#waiting}` : this.#waiting);
    this.#waiting = '';
    this.#write();
  }

  #write(): void {
    this.#state = 'writing';
    write(this.#fd, this.#chunk, (error, bytes) => {
      if (!error) return this.#wrote(bytes);
      if (!isFullPipe(error)) return this.#failed(error);
      this.#state = 'pausing';
      setTimeout(() => this.#write(), PAUSE);
    });
  }

  #wrote(bytes: number): void {
    this.#isTorn = this.#chunk[bytes - 1] !== NEWLINE;
    this.#chunk = this.#chunk.subarray(bytes);
    if (this.#chunk.length > 0) return this.#write();
    if (this.#waiting !== '') return this.#begin();
    this.#state = 'idle';
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.#onWritable(lost);
  }

  #failed({ message }: Error): void {
    // The line break at the beginning is that of a line which is written, or counted, already.
    const lines = this.#chunk.subarray(1).filter((byte) => byte === NEWLINE).length;
    this.#lose(lines, message);
    if (this.#waiting !== '') return this.#begin();
    this.#state = 'idle';
  }

  #lose(lines: number, reason: string): void {
    if (this.#lost === 0) this.#onLost(reason);
    this.#lost += lines;
  }
}

const isFullPipe = (error: unknown): boolean => codeOf(error) === 'EAGAIN';
