import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Database } from '../core/database/db.ts';

export interface LimiterOptions {
  /** Keeps the counters of different limiters apart. */
  name: string;
  points: number;
  /** Seconds, starting with the first point. */
  duration: number;
}

/**
 * Makes a counter that all gateways of a database server share: each point is one write, and a key without points left
 * costs none. It counts in memory with the embedded database, which has only one gateway, and while the server does not
 * answer.
 */
export function createSharedLimiter(
  db: Pick<Database, 'embedded' | 'pool'>,
  { name, points, duration }: LimiterOptions,
): RateLimiterAbstract {
  const memory = new RateLimiterMemory({ keyPrefix: name, points, duration });
  if (db.embedded) return memory;
  return new RateLimiterPostgres({
    storeClient: db.pool,
    storeType: 'pool',
    tableName: 'rate_limit',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration,
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: memory,
  });
}

/** Takes a point, and returns whether there was one and what is left. */
export async function takePoint(
  limiter: RateLimiterAbstract,
  key: string,
): Promise<{ granted: boolean; result: RateLimiterRes }> {
  try {
    return { granted: true, result: await limiter.consume(key) };
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return { granted: false, result: refusal };
  }
}
