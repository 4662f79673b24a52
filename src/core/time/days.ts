import { Temporal } from 'temporal-polyfill';

/** A real calendar day as the documents write it: yyyyMMdd (D-20). */
export type Day = string;

/** Returns the text if it is a real calendar day `yyyyMMdd`, else undefined (D-20). */
export function parseDay(text: string): Day | undefined {
  if (!/^\d{8}$/.test(text)) return undefined;
  const [year, month, day] = dayParts(text);
  const date = utcDate(text);
  const real =
    year > 0 &&
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day;
  return real ? text : undefined;
}

/** The day of an instant, in epoch milliseconds, in UTC. */
export function dayOf(instant: number): Day {
  return new Date(instant).toISOString().slice(0, 10).replaceAll('-', '');
}

/** The half-open interval of instants, in epoch milliseconds, that a day covers in a zone: 23, 24 or 25 hours (D-22). */
export function dayWindow(day: Day, zone: string): { from: number; to: number } {
  return { from: startOfDay(day, 0, zone), to: startOfDay(day, 1, zone) };
}

const starts = new Map<string, number>();

/** Remembers the starts of the last days: filters name the same days again, and each costs microseconds. */
function startOfDay(day: Day, later: 0 | 1, zone: string): number {
  const key = `${day}${later}${zone}`;
  let start = starts.get(key);
  if (start === undefined) {
    const [year, month, date] = dayParts(day);
    const begun = new Temporal.PlainDate(year, month, date).add({ days: later });
    start = begun.toZonedDateTime(zone).epochMilliseconds;
    if (starts.size >= 10_000) starts.clear();
    starts.set(key, start);
  }
  return start;
}

/** The day `count` days later; at most the last day of the year 9999. */
export function addDays(day: Day, count: number): Day {
  const date = utcDate(day);
  date.setUTCDate(date.getUTCDate() + count);
  return date.getUTCFullYear() > 9999
    ? '99991231'
    : date.toISOString().slice(0, 10).replaceAll('-', '');
}

/** Number of days from the first to the last, both included. */
export function countDays(first: Day, last: Day): number {
  return Math.round((utcDate(last).getTime() - utcDate(first).getTime()) / 86_400_000) + 1;
}

/** Every day from the first to the last, both included. */
export function daysBetween(first: Day, last: Day): Day[] {
  return Array.from({ length: Math.max(0, countDays(first, last)) }, (_, index) =>
    addDays(first, index),
  );
}

function utcDate(day: Day): Date {
  const [year, month, date] = dayParts(day);
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, date);
  return utc;
}

function dayParts(day: Day): [year: number, month: number, day: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(4, 6)), Number(day.slice(6, 8))];
}

/** A day as GraphQL writes it: yyyy-MM-dd. */
export function isoDay(day: Day): string {
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
}
