import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Database } from '../core/database/db.ts';

export interface LimiterOptions {
  /** Keeps the counters of limiters apart. */
  name: string;
  points: number;
  /** Seconds, from the first of the points on. */
  duration: number;
}

/**
 * Makes a counter that all gateways of a database server share: one write for each point, none while a key is used up. With the embedded
 * database, which has one gateway, and while the server does not answer, it counts in memory.
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

/** Takes a point: what is left, and whether there was one. */
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
