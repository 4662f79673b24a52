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

/** Is it a zone of the IANA database? */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return !/^[+-]/.test(zone);
  } catch {
    return false;
  }
}

/**
 * Epoch milliseconds of an instant as PostgreSQL prints it in UTC: `2026-01-05 10:00:00.123+00`. Reads digit by digit:
 * a page has hundreds of them.
 */
export function epochMillis(instant: string): number {
  const year = twoDigits(instant, 0) * 100 + twoDigits(instant, 2);
  const fraction =
    instant.charCodeAt(19) === 0x2e
      ? Math.round(Number(`0${instant.slice(19, instant.indexOf('+'))}`) * 1000)
      : 0;
  const ms = Date.UTC(
    year,
    twoDigits(instant, 5) - 1,
    twoDigits(instant, 8),
    twoDigits(instant, 11),
    twoDigits(instant, 14),
    twoDigits(instant, 17),
    fraction,
  );
  // Date.UTC takes the years 0 to 99 as 1900 to 1999.
  return year < 100 ? new Date(ms).setUTCFullYear(year) : ms;
}

function twoDigits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;
}

/** The wall clock of one zone. */
export interface WallClock {
  /** Translates an instant as PostgreSQL prints it in UTC into `yyyy-MM-dd HH:mm:ss`. */
  (instant: string): string;
  /** Offset to add to UTC at an instant (epoch milliseconds), in milliseconds. */
  offsetAt(ms: number): number;
}

const clocks = new Map<string, WallClock>();

/**
 * The wall clock of a zone (D-22). If the offset is a whole number of hours, only the hour and the day are rewritten in
 * the text.
 */
export function wallClock(zone: string): WallClock {
  let clock = clocks.get(zone);
  if (!clock)
    clocks.set(
      zone,
      (clock =
        zone === 'UTC'
          ? Object.assign((instant: string) => instant.slice(0, 19), { offsetAt: () => 0 })
          : makeWallClock(zone)),
    );
  return clock;
}

const HOUR = 3_600_000;
const hourTexts = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

function makeWallClock(zone: string): WallClock {
  const spanAt = offsetSpans(zone);
  const read = (instant: string): string => {
    const ms = epochMillis(instant);
    const { offset } = spanAt(ms);
    const hour = twoDigits(instant, 11) + offset / HOUR;
    const text = hourTexts[hour];
    if (text !== undefined) return instant.slice(0, 11) + text + instant.slice(13, 19);
    const otherDay = hourTexts[hour < 0 ? hour + 24 : hour - 24];
    return otherDay === undefined
      ? isoWall(ms + offset)
      : dayText(ms + offset) + otherDay + instant.slice(13, 19);
  };
  return Object.assign(read, { offsetAt: (ms: number) => spanAt(ms).offset });
}

const dayTexts = new Map<number, string>();

/** `yyyy-MM-dd ` of an instant, read as UTC. */
function dayText(ms: number): string {
  const day = Math.floor(ms / (24 * HOUR));
  let text = dayTexts.get(day);
  if (text === undefined) {
    if (dayTexts.size >= 1_000) dayTexts.clear();
    dayTexts.set(day, (text = isoWall(ms).slice(0, 11)));
  }
  return text;
}

/** A period in which a zone has one offset from UTC: from an instant until before another, in epoch milliseconds. */
interface OffsetSpan {
  from: number;
  to: number;
  offset: number;
}

/** Finds the period of an instant; remembers the last ones, which for a list of feeds are few. */
function offsetSpans(zone: string): (ms: number) => OffsetSpan {
  const recent: OffsetSpan[] = [];
  return (ms) => {
    for (const span of recent) if (span.from <= ms && ms < span.to) return span;
    const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    const span = {
      from:
        at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ??
        Number.NEGATIVE_INFINITY,
      to: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
      offset: at.offsetNanoseconds / 1e6,
    };
    recent.unshift(span);
    recent.length = Math.min(recent.length, 64);
    return span;
  };
}

/** `yyyy-MM-dd HH:mm:ss` of an instant, read as UTC. */
export function isoWall(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function dayParts(day: Day): [year: number, month: number, day: number] {
  return [Number(day.slice(0, 4)), Number(day.slice(4, 6)), Number(day.slice(6, 8))];
}
