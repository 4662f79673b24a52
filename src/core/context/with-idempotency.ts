import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { z } from 'zod';
import type { Services } from './context.ts';
import type { Database } from '../database/db.ts';
import { IdempotencyError, ValidationError } from '../errors.ts';

const DAY = 86_400_000;

export interface IdempotentWrite<T> {
  /** Whose key it is: `customer:<id>` or `user:<id>`. */
  scope: string;
  operation: string;
  /** Nothing: the work is done, and done again when asked again. */
  key: string | null | undefined;
  /** What is asked for, as JSON; a key holds for one request. */
  request: unknown;
  /** Of what `work` returns, which is stored as JSON. */
  answer: z.ZodType<T>;
}

export interface IdempotentAnswer<T> {
  answer: T;
  /** The answer of an earlier request with the same key. */
  replayed: boolean;
}

/**
 * Does a write at most once for each key within 24 hours (D-78). The key, what `work` writes with its client, and its answer are committed in one
 * transaction: after a crash there is all or nothing of it. What fails is not stored. Within `work` use only the client that it is given.
 * Throws IdempotencyError, and ValidationError for a key that is none.
 */
export async function withIdempotency<T>(
  services: Pick<Services, 'db' | 'clock'>,
  write: IdempotentWrite<T>,
  work: (client: PoolClient) => Promise<T>,
): Promise<IdempotentAnswer<T>> {
  if (write.key == null) return { answer: await services.db.transaction(work), replayed: false };
  const id = identify(write);
  const requestHash = hashRequest(write);
  const now = services.clock();
  const earlier = async (client: PoolClient): Promise<IdempotentAnswer<T>> => {
    const found = await recall(client, write, now);
    if (!found) throw new IdempotencyError('RUNNING');
    return found;
  };
  return services.db.transaction(async (client) => {
    // Who comes second while the first still works is told so at once, instead of waiting at the insert.
    const lock = createHash('sha256').update(JSON.stringify(id)).digest().readBigInt64BE();
    const locked = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS free',
      [lock.toString()],
    );
    if (!locked.rows[0]?.free) return earlier(client);
    const taken = await client.query(
      `INSERT INTO idempotency_record AS r (scope, operation, key, request_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (scope, operation, key) DO UPDATE SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
       WHERE r.expires_at <= excluded.created_at`,
      [...id, requestHash, new Date(now), new Date(now + DAY)],
    );
    if (taken.rowCount === 0) return earlier(client);
    const answer = await work(client);
    await client.query(
      'UPDATE idempotency_record SET answer = $4 WHERE scope = $1 AND operation = $2 AND key = $3',
      [...id, JSON.stringify(answer)],
    );
    return { answer, replayed: false };
  });
}

/** The answer of an earlier request with the same key, if there is one: spares the work of a request that will be a replay. Throws IdempotencyError, ValidationError. */
export async function recallAnswer<T>(
  services: { db: Pick<Database, 'pool'>; clock: Services['clock'] },
  write: IdempotentWrite<T>,
): Promise<IdempotentAnswer<T> | undefined> {
  return write.key == null ? undefined : recall(services.db.pool, write, services.clock());
}

async function recall<T>(
  client: Pick<PoolClient, 'query'>,
  write: IdempotentWrite<T>,
  now: number,
): Promise<IdempotentAnswer<T> | undefined> {
  const { rows } = await client.query<{ same: boolean; answer: unknown }>(
    'SELECT request_hash = $4 AS same, answer FROM idempotency_record WHERE scope = $1 AND operation = $2 AND key = $3 AND expires_at > $5',
    [...identify(write), hashRequest(write), new Date(now)],
  );
  if (!rows[0]) return undefined;
  if (!rows[0].same) throw new IdempotencyError('REUSED');
  return { answer: write.answer.parse(rows[0].answer), replayed: true };
}

function identify({ scope, operation, key }: IdempotentWrite<unknown>): string[] {
  if (key != null && /^[\x20-\x7e]{1,255}$/.test(key)) return [scope, operation, key];
  throw new ValidationError([
    {
      path: ['input', 'idempotencyKey'],
      message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
      code: 'INVALID',
    },
  ]);
}

function hashRequest({ request }: IdempotentWrite<unknown>): Buffer {
  return createHash('sha256').update(canonicalJson(request)).digest();
}

/** JSON with sorted keys: two spellings of one request are the same. */
function canonicalJson(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, item: unknown) =>
        isRecord(item)
          ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
          : item,
      ) ?? ''
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ValidationError([
      { path: ['input'], message: 'is nested too deeply', code: 'TOO_DEEP' },
    ]);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
