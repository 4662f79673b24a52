import { createHash } from 'node:crypto';
import type { SignInThrottle } from '../core/context/context.ts';
import type { Database } from '../core/database/db.ts';
import { AppError } from '../core/errors.ts';
import { createSharedLimiter, takePoint } from './create-limiter.ts';

const QUARTER_HOUR = 900;

/** Counts failures of the last 15 minutes over all gateways of a database server: 10 for one login from one address, 100 for a login, 100 for an address. Attempts under way count like failures: a thousand at once get no further than a thousand in turn. */
export function createSignInThrottle(db: Pick<Database, 'embedded' | 'pool'>): SignInThrottle {
  const limiter = (name: string, points: number) =>
    createSharedLimiter(db, { name, points, duration: QUARTER_HOUR });
  const limiters = [
    {
      limiter: limiter('sign-in', 10),
      key: (login: string, address: string) => digest(`${login}\n${address}`),
    },
    { limiter: limiter('sign-in-login', 100), key: (login: string) => digest(login) },
    {
      limiter: limiter('sign-in-address', 100),
      key: (_: string, address: string) => digest(address),
    },
  ];
  const underWay = new Map<string, number>();
  return {
    async attempt(login, address, tryIt) {
      const counted = limiters.map(({ limiter, key: keyOf }) => {
        const key = keyOf(login, address);
        const slot = `${limiter.keyPrefix}:${key}`;
        return { limiter, key, slot, ahead: underWay.get(slot) ?? 0 };
      });
      for (const { slot, ahead } of counted) underWay.set(slot, ahead + 1);
      try {
        for (const { limiter, key, ahead } of counted) {
          const record = await limiter.get(key);
          if ((record?.consumedPoints ?? 0) + ahead >= limiter.points)
            throw tooMany(record?.msBeforeNext ?? 1_000);
        }
        const outcome = await tryIt();
        if (outcome === undefined)
          for (const { limiter, key } of counted) await takePoint(limiter, key);
        return outcome;
      } finally {
        for (const { slot } of counted) {
          const left = (underWay.get(slot) ?? 1) - 1;
          if (left > 0) underWay.set(slot, left);
          else underWay.delete(slot);
        }
      }
    },
  };
}

/** Keys of a counter are of bounded length and tell nobody's login. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function tooMany(ms: number): AppError {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return new AppError('E902', {
    message: `Too many failed attempts: try again in ${seconds} s`,
    headers: { 'retry-after': String(seconds) },
  });
}
