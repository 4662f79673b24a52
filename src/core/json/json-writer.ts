import { acquireBuffer, releaseBuffer } from './buffer-pool.ts';

const LOWEST = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** JSON escapes of the bytes that must not be written as they are. */
const escapes = Array.from({ length: BACKSLASH + 1 }, (_, code) =>
  code < LOWEST || code === QUOTE || code === BACKSLASH
    ? Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1))
    : undefined,
);
/** Length of the longest escape. */
const ESCAPE = 6;
/** Length of the longest safe integer with its sign. */
const INTEGER = 17;
/** Below this many bytes, a loop is faster than a call. */
const SHORT = 48;

/**
 * Writes JSON text as UTF-8 bytes, from bytes where it can: a page has thousands of values, and making a string of each
 * is most of what it costs.
 */
export class JsonWriter {
  /** What is written may be looked at and written to directly, from `length` on, after `reserve`. */
  bytes: Buffer;
  length = 0;

  constructor(capacity: number) {
    this.bytes = acquireBuffer(capacity);
  }

  /** Makes room for so many bytes more. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = acquireBuffer(Math.max(2 * this.bytes.length, this.length + count));
    this.bytes.copy(larger, 0, 0, this.length);
    releaseBuffer(this.bytes);
    this.bytes = larger;
  }

  /** Text made elsewhere. */
  text(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length, 'utf8');
  }

  /** Bytes as they are. */
  copy(source: Buffer, from: number, to: number): void {
    const size = to - from;
    this.reserve(size);
    if (size > SHORT) source.copy(this.bytes, this.length, from, to);
    else
      for (let i = 0, { bytes, length } = this; i < size; i++)
        bytes[length + i] = source[from + i] ?? 0;
    this.length += size;
  }

  /** UTF-8 text as a JSON string: the very bytes of JSON.stringify. */
  string(source: Buffer, from: number, to: number): void {
    this.reserve(ESCAPE * (to - from) + 2);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = QUOTE;
    for (let i = from; i < to; i++) {
      const byte = source[i] ?? 0;
      if (byte >= LOWEST && byte !== QUOTE && byte !== BACKSLASH) {
        bytes[at++] = byte;
      } else {
        const escape = escapes[byte];
        if (escape) at += escape.copy(bytes, at);
      }
    }
    bytes[at++] = QUOTE;
    this.length = at;
  }

  /** A safe integer. */
  integer(value: number): void {
    this.reserve(INTEGER);
    const { bytes } = this;
    let rest = Math.abs(value);
    if (value < 0) bytes[this.length++] = 0x2d;
    let digits = 1;
    for (let power = 10; rest >= power; power *= 10) digits++;
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const next = Math.floor(rest / 10);
      bytes[at] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.length += digits;
  }

  /** What was written, in a buffer of the pool: whoever sends it releases it. The writer is not used any more. */
  done(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Gives back the memory of what is not needed after all. */
  drop(): void {
    releaseBuffer(this.bytes);
  }
}
