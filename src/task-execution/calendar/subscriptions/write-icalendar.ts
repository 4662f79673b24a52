import { setImmediate as otherWork } from 'node:timers/promises';
import { isoWall } from '../../../core/time/instant-text.ts';
import { wallClock, type WallClock } from '../../../core/time/wall-clock.ts';
import { vtimezone } from './vtimezone.ts';

/** A work item as shown in a calendar program. Times are in epoch milliseconds. */
export interface CalendarEvent {
  uid: string;
  start: number;
  /** Null for an event without duration. */
  end: number | null;
  title: string;
  description: string | null;
  /** Shown as "Busy", without any text. */
  confidential: boolean;
  cancelled: boolean;
  version: number;
  changedAt: number;
}

const DAY = 86_400_000;

/**
 * Times that are further from the middle event are written in UTC: a VTIMEZONE lists each change of the clock, half a
 * millisecond of work.
 */
const REACH = 5 * 366 * DAY;

/** Events that are left out of a file. */
export interface LeftOut {
  uid: string;
  count: number;
  /** The days on which they begin, in epoch milliseconds. */
  from: number;
  to: number;
}

/** Events written before other work gets its turn: takes less than a millisecond. */
const SLICE = 100;

/**
 * Writes events as an iCalendar object (RFC 5545) in a zone, with a VTIMEZONE that covers them, and lets other work run
 * in between. An entry over the days of events that are left out tells of them. The same events give the same bytes.
 * Uses no library: ical-generator takes one or two milliseconds per event without interruption, and does not escape the
 * name of a calendar.
 */
export async function writeICalendar(
  name: string,
  zone: string,
  events: readonly CalendarEvent[],
  left?: LeftOut,
): Promise<Buffer> {
  const covered = reachOf(events);
  const pieces = [lines(header(name, zone, covered))];
  const at = timeWriter(zone, covered);
  for (let from = 0; from < events.length; from += SLICE) {
    await otherWork();
    pieces.push(
      ...events.slice(from, from + SLICE).map((event) => lines(eventProperties(event, at))),
    );
  }
  if (left) pieces.push(lines(leftOutProperties(left, events, wallClock(zone))));
  return Buffer.from(`${pieces.join('')}END:VCALENDAR\r\n`);
}

/** From when to when the zone is described; undefined without events. */
interface Reach {
  from: number;
  to: number;
}

function reachOf(events: readonly CalendarEvent[]): Reach | undefined {
  const middle = events[events.length >> 1]?.start;
  if (middle === undefined) return undefined;
  let [from, to] = [middle, middle];
  for (const { start, end } of events) {
    from = Math.min(from, start);
    to = Math.max(to, end ?? start);
  }
  return { from: Math.max(from, middle - REACH), to: Math.min(to, middle + REACH) };
}

function header(name: string, zone: string, covered: Reach | undefined): string[] {
  const properties = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Trivium//Trivium//EN',
    `NAME:${text(name)}`,
    `X-WR-CALNAME:${text(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ];
  if (zone === 'UTC') return properties;
  properties.push(`X-WR-TIMEZONE:${zone}`);
  if (!covered) return properties;
  return [...properties, ...vtimezone(zone, covered.from, covered.to).split('\r\n')];
}

function eventProperties(event: CalendarEvent, at: (ms: number) => string): string[] {
  const { confidential, description } = event;
  return [
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `SEQUENCE:${event.version}`,
    `DTSTAMP:${utc(event.changedAt)}`,
    `DTSTART${at(event.start)}`,
    ...(event.end !== null && event.end > event.start ? [`DTEND${at(event.end)}`] : []),
    `SUMMARY:${confidential ? 'Busy' : text(event.title)}`,
    ...(description && !confidential ? [`DESCRIPTION:${text(description)}`] : []),
    `STATUS:${event.cancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'X-MICROSOFT-CDO-BUSYSTATUS:BUSY',
    `LAST-MODIFIED:${utc(event.changedAt)}`,
    `CLASS:${confidential ? 'PRIVATE' : 'PUBLIC'}`,
    'END:VEVENT',
  ];
}

/** An entry for whole days, which leaves them free. */
function leftOutProperties(
  { uid, count, from, to }: LeftOut,
  events: readonly CalendarEvent[],
  clock: WallClock,
): string[] {
  const day = (ms: number): string => basic(ms + clock.offsetAt(ms)).slice(0, 8);
  const items = count === 1 ? '1 more item is' : `${count.toLocaleString('en')} more items are`;
  const description = `A calendar shows at most ${events.length.toLocaleString('en')} items, the earliest ones. Subscribe with a filter to see the others.`;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utc(events.reduce((last, { changedAt }) => Math.max(last, changedAt), 0))}`,
    `DTSTART;VALUE=DATE:${day(from)}`,
    `DTEND;VALUE=DATE:${day(to + DAY)}`,
    `SUMMARY:${text(`${items} not shown`)}`,
    `DESCRIPTION:${text(description)}`,
    'TRANSP:TRANSPARENT',
    'X-MICROSOFT-CDO-BUSYSTATUS:FREE',
    'END:VEVENT',
  ];
}

/**
 * Writes the parameter and the value of a time in a zone: `;TZID=Europe/Berlin:20270104T100000`. A time for which the zone
 * is not described is written in UTC; so is a local time that occurs twice, when clocks are set back: programs would
 * take it for the first one (RFC 5545, 3.3.5).
 */
function timeWriter(zone: string, covered: Reach | undefined): (ms: number) => string {
  if (zone === 'UTC' || !covered) return (ms) => `:${utc(ms)}`;
  const clock = wallClock(zone);
  return (ms) => {
    if (ms < covered.from || ms > covered.to) return `:${utc(ms)}`;
    const offset = clock.offsetAt(ms);
    const isTwice = [ms - DAY, ms + DAY].some((near) => {
      const other = clock.offsetAt(near);
      return other !== offset && clock.offsetAt(ms + offset - other) === other;
    });
    return isTwice ? `:${utc(ms)}` : `;TZID=${zone}:${basic(ms + offset)}`;
  };
}

function utc(ms: number): string {
  return `${basic(ms)}Z`;
}

/** `20270104T100000` of an instant, read as UTC. */
function basic(ms: number): string {
  return isoWall(ms).replaceAll(/[-:]/g, '').replace(' ', 'T');
}

/**
 * A value of type TEXT: separators are escaped, line breaks become `\n`, and other control characters are removed,
 * because they are not allowed.
 */
function text(value: string): string {
  return value
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n?|\n/g, '\\n')
    .replaceAll(/[^\P{Cc}\t]/gu, '');
}

/** Content lines, each folded so that none has more than 75 bytes and no character is cut. */
function lines(properties: readonly string[]): string {
  return properties.map((line) => `${fold(line)}\r\n`).join('');
}

const MAX_LINE = 75;

function fold(line: string): string {
  // A UTF-16 code unit takes at most three bytes.
  if (line.length * 3 <= MAX_LINE || Buffer.byteLength(line) <= MAX_LINE) return line;
  const folded: string[] = [];
  let [from, at, bytes] = [0, 0, 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    // The space at the start of a continuation line counts too.
    if (bytes + size > MAX_LINE) {
      folded.push(line.slice(from, at));
      [from, bytes] = [at, 1];
    }
    at += character.length;
    bytes += size;
  }
  return [...folded, line.slice(from)].join('\r\n ');
}
