import { randomUUID } from 'node:crypto';
import { releaseBuffer } from './buffer-pool.ts';
import { JsonWriter } from './json-writer.ts';

/** The placeholder of a fragment is this mark and the fragment's number. Nobody outside knows the mark, so that no text of a client can be a placeholder. */
const MARK = randomUUID();
const PLACEHOLDERS = new RegExp(`"${MARK}(\\d+)"`);

/** Parts of one answer that were written as JSON before the rest of it. In the result of the query a string, the placeholder, stands for each. */
export class JsonFragments {
  #fragments: Buffer[] = [];

  /** Keeps a fragment and returns its placeholder. */
  add(json: Buffer): string {
    return `${MARK}${this.#fragments.push(json) - 1}`;
  }

  /** Forgets all fragments: the query is run again without. */
  clear(): void {
    this.#fragments = [];
  }

  /** The answer's text with the fragments in the places of their placeholders. */
  join(text: string): string | Buffer {
    if (this.#fragments.length === 0) return text;
    const out = new JsonWriter(
      this.#fragments.reduce((sum, { length }) => sum + length, 3 * text.length),
    );
    // Text, number of a fragment, text, and so on. Lists that are read at the same time are added in any order.
    const parts = text.split(PLACEHOLDERS);
    parts.forEach((part, index) => {
      if (index % 2 === 0) return out.text(part);
      const fragment = this.#fragments[Number(part)];
      if (!fragment) throw new Error('no such fragment');
      out.copy(fragment, 0, fragment.length);
      releaseBuffer(fragment);
    });
    return out.done();
  }
}
