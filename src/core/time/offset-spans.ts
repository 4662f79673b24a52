import { Temporal } from 'temporal-polyfill';

/** A period in which a zone has one offset from UTC: from an instant until before another, in epoch milliseconds. */
interface OffsetSpan {
  from: number;
  to: number;
  offset: number;
}

/** Finds the period of an instant; remembers the last ones, which for a list of feeds are few. */
export function offsetSpans(zone: string): (ms: number) => OffsetSpan {
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
