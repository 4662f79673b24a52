import type { JsonWriter } from './json-writer.ts';

// Converts instants from PostgreSQL's text to the text of clients without creating a string or a Date: a page has
// hundreds of them.

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const DAY = 86_400_000;

/**
 * Epoch milliseconds of an instant as PostgreSQL prints it in UTC, `2026-01-05 10:00:00.123+00`. NaN for any other
 * form, and for values that could leave this form in some zone: years other than 1 to 9998, fractions of milliseconds,
 * infinity.
 */
export function readInstant(bytes: Buffer, from: number, to: number): number {
  const size = to - from;
  if (
    size < 22 ||
    size > 26 ||
    bytes[from + 4] !== DASH ||
    bytes[from + 7] !== DASH ||
    bytes[from + 13] !== COLON ||
    bytes[to - 3] !== 0x2b
  )
    return NaN;
  const year = twoDigits(bytes, from) * 100 + twoDigits(bytes, from + 2);
  if (year < 1 || year > 9998) return NaN;
  const seconds =
    twoDigits(bytes, from + 11) * 3_600 +
    twoDigits(bytes, from + 14) * 60 +
    twoDigits(bytes, from + 17);
  let fraction = 0;
  for (let at = from + 20, unit = 100; at < to - 3; at++, unit /= 10)
    fraction += ((bytes[at] ?? 0) - ZERO) * unit;
  return (
    dayNumber(year, twoDigits(bytes, from + 5), twoDigits(bytes, from + 8)) * DAY +
    seconds * 1_000 +
    fraction
  );
}

/** Writes `yyyy-MM-dd`, the separator and `HH:mm:ss` of an instant of the years 0 to 9999, read as UTC, in epoch milliseconds. */
export function writeWallTime(out: JsonWriter, ms: number, separator: number): void {
  out.reserve(19);
  const { bytes, length: at } = out;
  const days = Math.floor(ms / DAY);
  const seconds = Math.floor((ms - days * DAY) / 1_000);
  // Days from March to February: the leap day is the last of its year (Howard Hinnant, "chrono-compatible low-level
  // date algorithms").
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const century = Math.floor(year / 100);
  writeTwo(bytes, at, century);
  writeTwo(bytes, at + 2, year - century * 100);
  bytes[at + 4] = DASH;
  writeTwo(bytes, at + 5, month);
  bytes[at + 7] = DASH;
  writeTwo(bytes, at + 8, dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1);
  bytes[at + 10] = separator;
  const hour = Math.floor(seconds / 3_600);
  const minute = Math.floor((seconds - hour * 3_600) / 60);
  writeTwo(bytes, at + 11, hour);
  bytes[at + 13] = COLON;
  writeTwo(bytes, at + 14, minute);
  bytes[at + 16] = COLON;
  writeTwo(bytes, at + 17, seconds - hour * 3_600 - minute * 60);
  out.length += 19;
}

/** Days since 1970-01-01. */
function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

function twoDigits(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) - ZERO) * 10 + (bytes[at + 1] ?? 0) - ZERO;
}

function writeTwo(bytes: Buffer, at: number, value: number): void {
  const tens = Math.floor(value / 10);
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}
