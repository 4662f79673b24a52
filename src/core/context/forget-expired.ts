import type { Services } from './context.ts';

/** Counts of use are kept for so many days (F267). */
export const USAGE_DAYS = 90;

/** Where somebody signed in is remembered for so many days. */
export const PLACE_DAYS = 90;

/** Deletes idempotency keys, rate-limit counters, places of sign-ins and counts of use whose time is over. */
export async function forgetExpired({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  await db.rows('DELETE FROM idempotency_record WHERE expires_at <= $1', [
    new Date(clock()).toISOString(),
  ]);
  await db.rows('DELETE FROM legacy_usage WHERE day <= $1', [
    new Date(clock() - USAGE_DAYS * 86_400_000).toISOString().slice(0, 10),
  ]);
  await db.rows('DELETE FROM sign_in_place WHERE seen_at <= $1', [
    new Date(clock() - PLACE_DAYS * 86_400_000).toISOString(),
  ]);
  await db.rows('DELETE FROM rate_limit WHERE expire <= $1', [Date.now()]);
}
