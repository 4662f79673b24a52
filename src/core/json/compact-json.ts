import type { JsonWriter } from './json-writer.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const EXPONENT = 0x65;

/** Integers with at most this many digits are safe. */
export const SAFE_DIGITS = 15;

/**
 * Writes jsonb as printed by PostgreSQL, without the spaces between its parts: exactly the bytes of
 * JSON.stringify(JSON.parse(text)). Returns false and writes nothing where the result could differ: numbers other than
 * small integers, escapes, and strings that begin with a digit (JavaScript puts numeric keys first).
 */
export function writeCompactJson(
  out: JsonWriter,
  source: Buffer,
  from: number,
  to: number,
): boolean {
  out.reserve(to - from);
  const { bytes } = out;
  let at = out.length;
  for (let i = from; i < to; i++) {
    const byte = source[i] ?? 0;
    if (byte === SPACE) continue;
    bytes[at++] = byte;
    if (byte === QUOTE) {
      const first = source[i + 1] ?? 0;
      if (first >= ZERO && first <= NINE) return false;
      let next: number;
      do {
        next = source[++i] ?? QUOTE;
        if (next === BACKSLASH) return false;
        bytes[at++] = next;
      } while (next !== QUOTE);
    } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const start = i;
      let next = source[i + 1] ?? 0;
      if (byte === MINUS && next === ZERO) return false;
      for (; next >= ZERO && next <= NINE; next = source[i + 1] ?? 0)
        bytes[at++] = source[++i] ?? 0;
      if (next === POINT || next === EXPONENT || i - start >= SAFE_DIGITS) return false;
    }
  }
  out.length = at;
  return true;
}
