import { Temporal } from 'temporal-polyfill';

/** `2026-03-29T02:30:00Z`, `…+02:00` (an instant), or `2026-03-29 02:30:00` (wall time; seconds may have a fraction). */
export const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?$/;

const FIRST_YEAR = 1900;
const LAST_YEAR = 9998;

/**
 * Reads a time as epoch milliseconds; wall time is interpreted in `zone`. A wall time that a clock change skips moves
 * forward, one that comes twice is the earlier (D-22). Undefined for anything that is not a time between the years 1900
 * and 9998.
 */
export function parseTime(text: string, zone: string): number | undefined {
  const match = timePattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const date: [number, number, number] = [Number(year), Number(month), Number(day)];
  const clock: [number, number, number, number] = [
    Number(hour),
    Number(minute),
    Number(second ?? 0),
    Number((fraction ?? '').slice(0, 3).padEnd(3, '0')),
  ];
  if (!isCalendarDay(...date) || clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return undefined;
  const asUtc = Date.UTC(date[0], date[1] - 1, date[2], ...clock);
  if (offset !== undefined) return subtractOffset(asUtc, offset);
  if (zone === 'UTC') return asUtc;
  const wall = new Temporal.PlainDateTime(...date, ...clock);
  return wall.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** A message for text that begins with an impossible day (`2026-02-30`, `20260230`); undefined for other text. */
export function describeImpossibleDay(text: unknown): string | undefined {
  const match = /^(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/.exec(String(text));
  if (!match) return undefined;
  const [day, year, , month, date] = match;
  // Checked in a year within range that has the same calendar.
  const isPossible = isCalendarDay(2000 + (Number(year) % 400), Number(month), Number(date));
  return isPossible ? undefined : `${day} is an impossible date: no calendar has this day`;
}

/** Is it written as a time, but of a year that is not taken? Wall times have four digits for the year in every zone. */
export function isOfOtherYears(text: string): boolean {
  const year = Number(timePattern.exec(text)?.[1]);
  return year < FIRST_YEAR || year > LAST_YEAR;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  return (
    year >= FIRST_YEAR &&
    year <= LAST_YEAR &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  );
}

function subtractOffset(asUtc: number, offset: string): number | undefined {
  if (offset === 'Z') return asUtc;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  if (hours > 23 || minutes > 59) return undefined;
  return asUtc - (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
