import { Temporal } from 'temporal-polyfill';

/**
 * The VTIMEZONE component of a zone, correct from `from` to `to` (epoch milliseconds): one observance for the initial
 * offset and one for each transition. Transitions are listed instead of given by rules, so that they agree with the
 * zone data of the events, even for zones without a rule.
 */
export function vtimezone(zone: string, from: number, to: number): string {
  const observances: string[] = [];
  let current = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  let before = current.offsetNanoseconds;
  let start = current.toPlainDateTime();
  for (;;) {
    observances.push(observance(before, current, start, zone));
    const next = current.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds > to) break;
    before = current.offsetNanoseconds;
    // DTSTART is the wall time in the old offset.
    start = next
      .toInstant()
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      .add({ nanoseconds: before });
    current = next;
  }
  return ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...observances, 'END:VTIMEZONE'].join('\r\n');
}

function observance(
  before: number,
  now: Temporal.ZonedDateTime,
  start: Temporal.PlainDateTime,
  zone: string,
): string {
  const kind = now.offsetNanoseconds > standardOffset(now, zone) ? 'DAYLIGHT' : 'STANDARD';
  const dtstart = start.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
  return [
    `BEGIN:${kind}`,
    `DTSTART:${dtstart}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(now.offsetNanoseconds)}`,
    `END:${kind}`,
  ].join('\r\n');
}

/** The lower one of the winter and summer offsets in the same year. */
function standardOffset(now: Temporal.ZonedDateTime, zone: string): number {
  const offsets = [1, 7].map(
    (month) => new Temporal.PlainDate(now.year, month, 1).toZonedDateTime(zone).offsetNanoseconds,
  );
  return Math.min(...offsets);
}

/** `+HHMM`, or with seconds for historical local mean time. */
function offsetText(nanoseconds: number): string {
  const seconds = Math.abs(Math.round(nanoseconds / 1e9));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (
    (nanoseconds < 0 ? '-' : '+') +
    parts
      .slice(0, parts[2] === 0 ? 2 : 3)
      .map((part) => String(part).padStart(2, '0'))
      .join('')
  );
}
