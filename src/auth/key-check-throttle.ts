import type { KeyCheckThrottle } from '../core/context/throttles.ts';
import type { Database } from '../core/database/db.ts';
import { AppError } from '../core/errors.ts';
import { createSharedLimiter, takePoint } from './create-limiter.ts';

/** Allows 10 wrong keys a minute for each user and workspace, over all gateways of a database server (D-69). */
export function createKeyCheckThrottle(
  db: Pick<Database, 'embedded' | 'pool' | 'rows'>,
): KeyCheckThrottle {
  const limiter = createSharedLimiter(db, { name: 'key-check', points: 10, duration: 60 });
  const keyOf = (userId: number, workspaceId: string): string => `${userId}:${workspaceId}`;
  return {
    async take(userId, workspaceId) {
      const { granted, result } = await takePoint(limiter, keyOf(userId, workspaceId));
      if (granted) return;
      const seconds = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
      throw new AppError('E902', {
        message: `Too many wrong keys: try again in ${seconds} s`,
        headers: { 'retry-after': String(seconds) },
      });
    },
    async forget(userId, workspaceId) {
      await limiter.delete(keyOf(userId, workspaceId));
    },
  };
}
