import { offsetSpans } from './offset-spans.ts';
import { epochMillis, isoWall, twoDigits } from './instant-text.ts';

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
  if (!clock) {
    clock =
      zone === 'UTC'
        ? Object.assign((instant: string) => instant.slice(0, 19), { offsetAt: () => 0 })
        : makeWallClock(zone);
    // There are 600 zones, but a client may write their names in any case.
    if (clocks.size >= 1_000) clocks.clear();
    clocks.set(zone, clock);
  }
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
