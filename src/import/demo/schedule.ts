import { dayOf, isoDay } from '../../core/time/days.ts';
import type { Random } from './random.ts';

const DAY = 86_400_000;

/** The demo covers this many days before and after today. */
const SPAN_DAYS = 60;

/** A calendar day relative to today (UTC), as `yyyyMMdd`. */
export function compactDayOf(now: number, offset: number): string {
  return dayOf(now + offset * DAY);
}

/** A day in shop hours, as wall time of the store. */
export function wallTime(now: number, offset: number, hour: number, minute = 0): string {
  return `${isoDay(compactDayOf(now, offset))} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`;
}

export interface Span {
  /** Days from today. */
  start: number;
  end: number;
}

/** A random span of at most `length` days within the range of the demo. */
export function randomSpan(random: Random, length: number): Span {
  const start = random.int(2 * SPAN_DAYS) - SPAN_DAYS;
  return { start, end: Math.min(SPAN_DAYS, start + random.int(length + 1)) };
}

/** A status that fits the dates: past work is mostly done, future work is mostly new. */
export function statusOf(random: Random, span: Span): string {
  if (span.end < 0)
    return random.weigh([
      ['C', 66],
      ['F', 6],
      ['E', 8],
      ['N', 6],
      ['R', 4],
      ['P', 8],
      ['O', 2],
    ]);
  if (span.start > 0)
    return random.weigh([
      ['N', 80],
      ['R', 20],
    ]);
  return random.weigh([
    ['N', 25],
    ['R', 20],
    ['P', 45],
    ['C', 10],
  ]);
}
