import { writeCompactJson } from './compact-json.ts';
import type { JsonFragments } from './json-fragments.ts';
import { JsonWriter } from './json-writer.ts';

/** Shorter values are decoded: they cost little. In characters. */
const LONG = 16_384;

/**
 * The value of a json column, for answers of GraphQL, from its text as PostgreSQL prints it. A long one is not decoded,
 * if it need not be.
 */
export class StoredJson {
  readonly #text: string;
  /** Made once, however often an operation selects it. */
  #bytes: Buffer | undefined;
  #decoded: { value: unknown } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The value, or where an answer has `fragments` the placeholder of its text. */
  in(fragments: JsonFragments | undefined): unknown {
    if (fragments && this.#text.length > LONG && !this.#decoded) {
      this.#bytes ??= compact(this.#text);
      if (this.#bytes) return fragments.add(this.#bytes);
    }
    return (this.#decoded ??= { value: JSON.parse(this.#text) as unknown }).value;
  }
}

/** In memory of its own: a buffer of the pool would be released with the first of several fragments. */
function compact(text: string): Buffer | undefined {
  const source = Buffer.from(text);
  const out = new JsonWriter(source.length);
  const bytes = writeCompactJson(out, source, 0, source.length)
    ? Buffer.from(out.done())
    : undefined;
  out.drop();
  return bytes;
}
