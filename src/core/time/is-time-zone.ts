import { Temporal } from 'temporal-polyfill';

/**
 * Is it a zone of the IANA database? An offset is none, nor is a three-letter name such as PST, which `Intl` would take, or a
 * time with a zone, which Temporal would.
 */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return !/^[+-]/.test(zone);
  } catch {
    return false;
  }
}

const known = new Map<string, boolean>();

/** A zone that is stored; UTC where it is none (D-22). `onUnknown` is called when one is none, and not each time. */
export function zoneOrUtc(zone: string, onUnknown?: () => void): string {
  let is = known.get(zone);
  if (is === undefined) {
    if (known.size >= 1_000) known.clear();
    known.set(zone, (is = isTimeZone(zone)));
    if (!is) onUnknown?.();
  }
  return is ? zone : 'UTC';
}
