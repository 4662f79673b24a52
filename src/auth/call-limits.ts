import { RateLimiterMemory, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { networkOf } from '../core/address.ts';
import type { CallLimits } from '../core/context/throttles.ts';
import type { Database } from '../core/database/db.ts';
import { createSharedLimiter, refuseFor, secondsOf, takePoint } from './create-limiter.ts';

/** Seconds. */
const WINDOW = 10;

/** A session may make this many times the calls of a key: people page through lists, and a page is cheap. */
const SESSION_FACTOR = 10;

/** A calendar subscription may make this fraction of the calls of a key. */
const CALENDAR_DIVISOR = 10;

/**
 * Allows each API key and each SCIM token `points` calls in 10 seconds (D-80), and each session ten times as many; 0
 * means no limit. Keys are counted over all gateways of a database server. Each gateway counts sessions by itself: a
 * shared counter would add a database write to every page of feeds. The same holds for the `points` calls that are
 * allowed per address, and the tenth of them per calendar subscription.
 */
export function createCallLimits(
  db: Pick<Database, 'embedded' | 'pool' | 'rows'>,
  points: number,
): CallLimits {
  if (points === 0) {
    const free = (): Promise<Record<string, string>> => Promise.resolve({});
    return { take: free, takeFrom: free, takeCalendar: free };
  }
  const keys = createSharedLimiter(db, { name: 'key', points, duration: WINDOW });
  const sessions = new RateLimiterMemory({ points: points * SESSION_FACTOR, duration: WINDOW });
  const strangers = {
    translations: new RateLimiterMemory({ points, duration: WINDOW }),
    calendars: new RateLimiterMemory({ points, duration: WINDOW }),
    signIns: new RateLimiterMemory({ points, duration: WINDOW }),
  };
  const calendars = new RateLimiterMemory({
    points: Math.max(1, Math.ceil(points / CALENDAR_DIVISOR)),
    duration: WINDOW,
  });
  return {
    async take({ viewer, customer, scim }) {
      if (scim) return takeCall(keys, scim.tokenId);
      if (customer) return takeCall(keys, customer.keyId);
      return viewer ? takeCall(sessions, viewer.sessionId) : {};
    },
    takeFrom: (remoteAddress, counter) => takeCall(strangers[counter], networkOf(remoteAddress)),
    takeCalendar: (subscription) => takeCall(calendars, subscription),
  };
}

async function takeCall(
  limiter: RateLimiterAbstract,
  key: string,
): Promise<Record<string, string>> {
  const { granted, result } = await takePoint(limiter, key);
  const limit = limiter.points;
  const headers = {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(granted ? limit - result.consumedPoints : 0),
    'ratelimit-reset': secondsOf(result.msBeforeNext),
  };
  if (!granted)
    throw refuseFor(result.msBeforeNext, `More than ${limit} calls in ${WINDOW} s`, headers);
  return headers;
}
