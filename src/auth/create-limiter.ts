import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
  type IRateLimiterPostgresOptions,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Database } from '../core/database/db.ts';
import { AppError } from '../core/errors.ts';
import { countPoints, readPoints } from '../core/sql/writes.sql.ts';
import { limitParallel } from '../core/turns/limit.ts';

export interface LimiterOptions {
  /** Keeps the counters of different limiters apart. */
  name: string;
  points: number;
  /** Seconds, starting with the first point. */
  duration: number;
}

/** What the limiter reads of a counter. */
interface Found {
  rows: { points: number; expire: number | null }[];
}

/**
 * Asks how long a counter lasts by the clock of the database: the limiter of the package compares times of its own clock.
 * Points of one key are taken one after the other: its counter is locked until the commit, and who waits for that would
 * hold a connection of others.
 */
class DatabaseLimiter extends RateLimiterPostgres {
  readonly #db: Pick<Database, 'rows'>;
  readonly #lines = new Map<string, { inTurn: ReturnType<typeof limitParallel>; length: number }>();

  constructor(db: Pick<Database, 'rows'>, options: IRateLimiterPostgresOptions) {
    super(options);
    this.#db = db;
  }

  override async consume(key: string): Promise<RateLimiterRes> {
    let line = this.#lines.get(key);
    if (!line) this.#lines.set(key, (line = { inTurn: limitParallel(1), length: 0 }));
    line.length++;
    try {
      return await line.inTurn(() => super.consume(key));
    } finally {
      if (--line.length === 0) this.#lines.delete(key);
    }
  }

  async _upsert(key: string, points: number, duration: number): Promise<Found> {
    return found(await countPoints.rows(this.#db, { key, points, duration }));
  }

  async _get(key: string): Promise<Found | null> {
    const rows = await readPoints.rows(this.#db, { key });
    return rows.length === 0 ? null : found(rows);
  }
}

function found(rows: readonly { points: number; msLeft: number | null }[]): Found {
  const now = Date.now();
  return {
    rows: rows.map(({ points, msLeft }) => ({
      points,
      expire: msLeft === null ? null : now + msLeft,
    })),
  };
}

/**
 * Makes a counter that all gateways of a database server share: each point is one write, and a key without points left
 * costs none. It counts in memory with the embedded database, which has only one gateway, and while the server does not
 * answer.
 */
export function createSharedLimiter(
  db: Pick<Database, 'embedded' | 'pool' | 'rows'>,
  { name, points, duration }: LimiterOptions,
): RateLimiterAbstract {
  const memory = new RateLimiterMemory({ keyPrefix: name, points, duration });
  if (db.embedded) return memory;
  return new DatabaseLimiter(db, {
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

/** The time to wait as headers tell it: in whole seconds, at least one. */
export const secondsOf = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));

/** The refusal of who is to wait for so long, with why. */
export function refuseFor(ms: number, why: string, headers?: Record<string, string>): AppError {
  const seconds = secondsOf(ms);
  return new AppError('E902', {
    message: `${why}: try again in ${seconds} s`,
    headers: { ...headers, 'retry-after': seconds },
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
