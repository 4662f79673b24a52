import { hash } from 'node:crypto';
import { statement } from './statement.ts';
import { bool, int4, int8, nullable, text, texts, timestamptz } from './types.ts';

// What the writes of every domain use.

/** The lock of what has this name. */
export function lockOf(...name: string[]): bigint {
  return hash('sha256', JSON.stringify(name), 'buffer').readBigInt64BE();
}

/** Takes a lock of this number until the end of the transaction, unless another transaction holds it. */
export const tryLock = statement({
  text: 'SELECT pg_try_advisory_xact_lock($lock) AS free',
  params: { lock: int8 },
  row: { free: bool },
});

/** Takes a lock of this number until the end of the transaction, as soon as no other transaction holds it. */
export const waitForLock = statement({
  text: 'SELECT FROM pg_advisory_xact_lock($lock)',
  params: { lock: int8 },
  row: {},
});

/**
 * Shares the lock that every write of a domain holds until its commit, for one that leaves no entry in the audit log: who locks
 * the domain waits for it, and statements after this one see whether that has happened. See `waitForWrites`.
 */
export const beginWrite = statement({
  text: 'SELECT FROM pg_advisory_xact_lock_shared(4711063, $domainId)',
  params: { domainId: int4 },
  row: {},
});

/** Adds an entry to the audit log. */
export const addAuditEntry = statement({
  text: `INSERT INTO audit_log (actor, user_id, domain_id, surface, action, objects, target, address, request_id, outcome, code, at)
    VALUES ($actor, $userId, $domainId, $surface, $action, $objects, $target, $address, $requestId, $outcome, $code, $at) RETURNING id`,
  params: {
    actor: text,
    userId: nullable(int4),
    domainId: nullable(int4),
    surface: text,
    action: text,
    objects: texts,
    target: text,
    address: nullable(text),
    requestId: nullable(text),
    outcome: text,
    code: nullable(text),
    at: timestamptz,
  },
  row: { id: int8 },
});

/** Epoch milliseconds. Counters of rate limits last by it: gateways whose clocks differ share them. */
const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::int8';

/** The clock of the database. */
export const databaseTime = statement({
  text: `SELECT ${NOW} AS now`,
  params: {},
  row: { now: int8 },
});

/** Counts points; the first ones after its end begin the counter anew, for that many milliseconds. */
export const countPoints = statement({
  text: `INSERT INTO rate_limit AS r (key, points, expire) VALUES ($key, $points, ${NOW} + $duration)
    ON CONFLICT (key) DO UPDATE SET points = CASE WHEN r.expire <= ${NOW} THEN excluded.points ELSE r.points + excluded.points END,
      expire = CASE WHEN r.expire <= ${NOW} THEN excluded.expire ELSE r.expire END
    RETURNING points, expire - ${NOW} AS ms_left`,
  params: { key: text, points: int4, duration: int8 },
  row: { points: int4, msLeft: nullable(int8) },
});

/** A counter that has not ended. */
export const readPoints = statement({
  text: `SELECT points, expire - ${NOW} AS ms_left FROM rate_limit WHERE key = $key AND (expire > ${NOW} OR expire IS NULL)`,
  params: { key: text },
  row: { points: int4, msLeft: nullable(int8) },
});

/** Deletes the counters that have ended. */
export const forgetCounters = statement({
  text: `DELETE FROM rate_limit WHERE expire <= ${NOW}`,
  params: {},
  row: {},
});

/** Deletes that many idempotency keys that have ended, the oldest first; says how many there were. */
export const forgetKeys = statement({
  text: `WITH gone AS (
      DELETE FROM idempotency_record WHERE expires_at <= $now AND (scope, operation, key) IN (
        SELECT scope, operation, key FROM idempotency_record WHERE expires_at <= $now ORDER BY expires_at LIMIT $limit)
      RETURNING 1)
    SELECT count(*) AS gone FROM gone`,
  params: { now: timestamptz, limit: int8 },
  row: { gone: int8 },
});
