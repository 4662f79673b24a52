import type { Cell, Row } from './types.ts';

/**
 * A row as the bytes that PostgreSQL sent: the number of cells in 16 bits, then each cell as its length in 32 bits (-1:
 * null) and its UTF-8 text. Replies are written from the bytes; strings are only created when `cells` is read.
 */
export class WireRow implements Row {
  readonly bytes: Buffer;
  /** Start of the row in `bytes`, and its end. */
  readonly start: number;
  readonly end: number;
  #cells: Cell[] | undefined;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get cells(): Cell[] {
    return (this.#cells ??= decodeCells(this.bytes, this.start));
  }

  slice(from: number, to: number): Cell[] {
    return this.#cells?.slice(from, to) ?? decodeCells(this.bytes, this.start, from, to);
  }
}

/** Number of bytes before the first cell of a row, and before the text of a cell. */
export const ROW_HEAD = 2;
export const CELL_HEAD = 4;

/** Length of the text of the cell that begins here; -1 for null. */
export function cellLength(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}

const oneByte = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** The cells of a row that begins here: all, or those from one position to before another. */
export function decodeCells(bytes: Buffer, start: number, from = 0, to = Infinity): Cell[] {
  const count = Math.min(to, ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0));
  const cells: Cell[] = [];
  let at = start + ROW_HEAD;
  for (let place = 0; place < count; place++) {
    const length = cellLength(bytes, at);
    at += CELL_HEAD;
    if (place >= from)
      cells.push(
        length < 0
          ? null
          : ((length === 1 ? oneByte[bytes[at] ?? 0] : undefined) ??
              bytes.toString('utf8', at, at + length)),
      );
    at += Math.max(0, length);
  }
  return cells;
}

/**
 * The rows of one statement are copied into chunks: the first row into a chunk of its size, the others into chunks of
 * at least this many bytes, each twice as large as the last.
 */
const CHUNK = 16_384;
const LARGEST_CHUNK = 262_144;

/** Copies rows that are to be kept: the connection reuses the memory of what it read. */
export class RowKeeper {
  readonly rows: WireRow[] = [];
  #chunk = Buffer.alloc(0);
  #used = 0;

  keep(bytes: Buffer, start: number, size: number): void {
    if (this.#used + size > this.#chunk.length) {
      const wanted =
        this.rows.length === 0
          ? 0
          : Math.min(Math.max(CHUNK, 2 * this.#chunk.length), LARGEST_CHUNK);
      this.#chunk = Buffer.allocUnsafe(Math.max(size, wanted));
      this.#used = 0;
    }
    bytes.copy(this.#chunk, this.#used, start, start + size);
    this.rows.push(new WireRow(this.#chunk, this.#used, (this.#used += size)));
  }
}
