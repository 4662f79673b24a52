import { randomUUID } from 'node:crypto';
import { releaseBuffer } from './buffer-pool.ts';
import { JsonWriter } from './json-writer.ts';

/**
 * A placeholder is this mark followed by the fragment's number. The mark is secret, so that no text of a client can be
 * a placeholder.
 */
const MARK = randomUUID();
const PLACEHOLDERS = new RegExp(`"${MARK}(\\d+)"`);

/**
 * Parts of one reply that were written as JSON before the rest. In the result of the query, a placeholder string stands
 * for each.
 */
export class JsonFragments {
  #fragments: Buffer[] = [];
  /** Of all fragments. */
  bytes = 0;

  /** Stores a fragment and returns its placeholder. */
  add(json: Buffer): string {
    this.bytes += json.length;
    return `${MARK}${this.#fragments.push(json) - 1}`;
  }

  /** Drops all fragments, before the query is run again without them. */
  clear(): void {
    this.#fragments = [];
    this.bytes = 0;
  }

  /** The text of the reply, with each placeholder replaced by its fragment. */
  join(text: string): string | Buffer {
    if (this.#fragments.length === 0) return text;
    const out = new JsonWriter(this.bytes + 3 * text.length);
    // Alternating text and fragment numbers. Lists that are read in parallel are added in any order.
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
