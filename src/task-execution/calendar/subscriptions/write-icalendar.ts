import { ICalCalendar, ICalEventBusyStatus, ICalEventClass, ICalEventStatus } from 'ical-generator';
import { DateTime } from 'luxon';
import { vtimezone } from './vtimezone.ts';

/** A work item as a calendar program shall show it. Times are epoch milliseconds. */
export interface CalendarEvent {
  uid: string;
  start: number;
  /** Null: a moment. */
  end: number | null;
  title: string;
  description: string | null;
  /** Shown as "Busy", without any text. */
  confidential: boolean;
  cancelled: boolean;
  version: number;
  changedAt: number;
}

/** Writes events as an iCalendar object (RFC 5545) in a zone, with a VTIMEZONE that covers them. The same events give the same bytes. */
export function writeICalendar(
  name: string,
  zone: string,
  events: readonly CalendarEvent[],
): string {
  const calendar = new ICalCalendar({
    name,
    prodId: { company: 'Trivium', product: 'Trivium', language: 'EN' },
    ttl: 3600,
  });
  const span = [
    Math.min(...events.map(({ start }) => start)),
    Math.max(...events.map(({ start, end }) => end ?? start)),
  ] as const;
  // The zone belongs to the events and not to the calendar: else DTSTAMP, which must be UTC, would be written in it.
  if (zone !== 'UTC')
    calendar.x('X-WR-TIMEZONE', zone).timezone({
      name: null,
      generator: (id) => (events.length === 0 ? null : vtimezone(id, ...span)),
    });
  const at = (ms: number): DateTime => DateTime.fromMillis(ms, { zone: 'UTC' });
  for (const event of events) {
    const written = calendar.createEvent({
      id: event.uid,
      start: at(event.start),
      ...(event.end !== null && event.end > event.start && { end: at(event.end) }),
      timezone: zone === 'UTC' ? null : zone,
      summary: event.confidential ? 'Busy' : event.title,
      stamp: at(event.changedAt),
      lastModified: at(event.changedAt),
      sequence: event.version,
      status: event.cancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      busystatus: ICalEventBusyStatus.BUSY,
      class: event.confidential ? ICalEventClass.PRIVATE : ICalEventClass.PUBLIC,
    });
    if (event.description && !event.confidential) written.description(event.description);
  }
  return calendar.toString();
}
