import { createHash } from 'node:crypto';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { networkOf } from '../core/address.ts';
import type { Clock } from '../core/context/context.ts';
import type { SignInThrottle } from '../core/context/throttles.ts';
import type { Database } from '../core/database/db.ts';
import { createSharedLimiter, refuseFor, takePoint } from './create-limiter.ts';
import { createSignInPlaces } from './sign-in-places.ts';

const QUARTER_HOUR = 900;

/** What failures are counted by, and how many are allowed. */
const counters = { pair: 10, login: 100, address: 100, device: 10 };

type CounterName = keyof typeof counters;

interface Counter {
  name: CounterName;
  limiter: RateLimiterAbstract;
  key: string;
  slot: string;
  /** Attempts already running when this one began. */
  ahead: number;
}

/**
 * Counts failures of the last 15 minutes over all gateways of a database server: 10 for a login from one address, 100
 * for a login, 100 for an address. Running attempts count as failures, so a thousand parallel attempts get no further
 * than a thousand in sequence. For a user who signed in at this address before, only the first limit applies, and a
 * client with an old session token of the user gets 10 failures of its own: failures of strangers don't lock users out.
 */
export function createSignInThrottle(
  db: Pick<Database, 'embedded' | 'pool' | 'rows'>,
  clock: Clock,
): SignInThrottle {
  const shared = (name: string, points: number): RateLimiterAbstract =>
    createSharedLimiter(db, { name, points, duration: QUARTER_HOUR });
  const limiters: Record<CounterName, RateLimiterAbstract> = {
    pair: shared('sign-in', counters.pair),
    login: shared('sign-in-login', counters.login),
    address: shared('sign-in-address', counters.address),
    device: shared('sign-in-device', counters.device),
  };
  const places = createSignInPlaces(db, clock);
  const underWay = new Map<string, number>();
  const begin = (name: CounterName, text: string): Counter => {
    const limiter = limiters[name];
    const key = digest(text);
    const slot = `${limiter.keyPrefix}:${key}`;
    const ahead = underWay.get(slot) ?? 0;
    underWay.set(slot, ahead + 1);
    return { name, limiter, key, slot, ahead };
  };
  const end = ({ slot }: Counter): void => {
    const left = (underWay.get(slot) ?? 1) - 1;
    if (left > 0) underWay.set(slot, left);
    else underWay.delete(slot);
  };
  return {
    async attempt(who, tryIt) {
      const { login, token } = who;
      const network = networkOf(who.address);
      const counted = [
        begin('pair', `${login}\n${network}`),
        begin('login', login),
        begin('address', network),
        ...(token === undefined ? [] : [begin('device', `${login}\n${token}`)]),
      ];
      try {
        const waits = await usedUp(counted);
        const isFull = (name: CounterName): boolean => waits.has(name);
        if (isFull('pair') || isFull('login') || isFull('address')) {
          const { device, place } = await places.find(who, network);
          if (!(device && !isFull('device')) && !(place && !isFull('pair')))
            throw refuseFor(Math.max(...waits.values()), 'Too many failed attempts');
        }
        const outcome = await tryIt();
        if (outcome) await places.remember(outcome.id, network);
        else for (const { limiter, key } of counted) await takePoint(limiter, key);
        return outcome;
      } finally {
        counted.forEach(end);
      }
    },
  };
}

/** The counters that are used up, each with the milliseconds until it allows an attempt again. */
async function usedUp(counted: readonly Counter[]): Promise<Map<CounterName, number>> {
  const waits = new Map<CounterName, number>();
  for (const { name, limiter, key, ahead } of counted) {
    const record = await limiter.get(key);
    if ((record?.consumedPoints ?? 0) + ahead >= limiter.points)
      waits.set(name, record?.msBeforeNext ?? 1_000);
  }
  return waits;
}

/** Gives counters keys of bounded length that reveal no login. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
