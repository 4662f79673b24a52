import type { KeyCheckThrottle } from '../core/context/throttles.ts';
import type { Database } from '../core/database/db.ts';
import { createSharedLimiter, refuseFor, takePoint } from './create-limiter.ts';

/** Allows 10 wrong keys a minute for each user and workspace, over all gateways of a database server (D-69). */
export function createKeyCheckThrottle(
  db: Pick<Database, 'embedded' | 'pool' | 'rows'>,
): KeyCheckThrottle {
  const limiter = createSharedLimiter(db, { name: 'key-check', points: 10, duration: 60 });
  const keyOf = (userId: number, workspaceId: string): string => `${userId}:${workspaceId}`;
  return {
    async take(userId, workspaceId) {
      const { granted, result } = await takePoint(limiter, keyOf(userId, workspaceId));
      if (!granted) throw refuseFor(result.msBeforeNext, 'Too many wrong keys');
    },
    async forget(userId, workspaceId) {
      await limiter.delete(keyOf(userId, workspaceId));
    },
  };
}
