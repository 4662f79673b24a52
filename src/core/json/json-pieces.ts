import { randomUUID } from 'node:crypto';
import { JsonWriter } from './json-writer.ts';
import { takeBack } from './lend-buffer.ts';

/** What stands for the first piece is this and 0. Unknown outside, so that no text of a client can be one. */
const MARK = randomUUID();
const MARKS = new RegExp(`"${MARK}(\\d+)"`);

/** JSON that is written before the answer that it belongs to: a string takes its place until the answer is text. */
export class JsonPieces {
  #pieces: Buffer[] = [];

  /** Keeps JSON text and returns the string that stands for it. */
  keep(json: Buffer): string {
    return `${MARK}${this.#pieces.push(json) - 1}`;
  }

  /** Forgets all: the answer is made anew without. */
  clear(): void {
    this.#pieces = [];
  }

  /** The text with the pieces in their places. */
  join(text: string): string | Buffer {
    if (this.#pieces.length === 0) return text;
    const out = new JsonWriter(
      this.#pieces.reduce((sum, { length }) => sum + length, 3 * text.length),
    );
    // Text, number of a piece, text, …: what is read at the same time is kept in any order.
    const parts = text.split(MARKS);
    parts.forEach((part, index) => {
      if (index % 2 === 0) return out.text(part);
      const piece = this.#pieces[Number(part)];
      if (!piece) throw new Error('no such piece');
      out.copy(piece, 0, piece.length);
      takeBack(piece);
    });
    return out.done();
  }
}
