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
 * JSON.stringify(JSON.parse(text)). Returns false and writes nothing where the result could differ: escapes, strings that
 * begin with a digit (JavaScript puts numeric keys first), and numbers with an exponent, which jsonb has none of.
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
      let point = 0;
      for (let next = source[i + 1] ?? 0; ; next = source[i + 1] ?? 0) {
        if (next === POINT) point = i + 1;
        else if (next < ZERO || next > NINE) {
          if (next === EXPONENT) return false;
          break;
        }
        bytes[at++] = source[++i] ?? 0;
      }
      if (isPlain(source, { start, point, end: i + 1 })) continue;
      at -= i + 1 - start;
      at += bytes.write(
        JSON.stringify(Number(source.toString('latin1', start, i + 1))),
        at,
        'latin1',
      );
    }
  }
  out.length = at;
  return true;
}

/** Is this what JavaScript writes for the number? It writes no 1.50, no -0, and small ones with an exponent. */
function isPlain(
  source: Buffer,
  { start, point, end }: { start: number; point: number; end: number },
): boolean {
  const first = start + (source[start] === MINUS ? 1 : 0);
  if (end - start > SAFE_DIGITS) return false;
  if (point === 0) return first === start || source[first] !== ZERO;
  return source[end - 1] !== ZERO && (source[first] !== ZERO || source[point + 1] !== ZERO);
}
