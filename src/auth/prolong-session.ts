import type { Services } from '../core/context/context.ts';
import { extendSession } from './identify.sql.ts';
import type { SessionRow } from './to-viewer.ts';

/** A session ends this long after its last use, and at the latest after ABSOLUTE_LIFE; in milliseconds (D-70). */
export const SLIDING_LIFE = 12 * 3_600_000;
export const ABSOLUTE_LIFE = 7 * 24 * 3_600_000;

/** Not awaited, so that the reply need not wait; if it fails, a request in another minute prolongs the session. */
export function prolong(
  { db, log }: Services,
  { sessionId, absoluteExpiresAt }: SessionRow,
  now: number,
): void {
  const expiresAt = new Date(Math.min(now + SLIDING_LIFE, absoluteExpiresAt.getTime()));
  extendSession
    .rows(db, { sessionId, lastSeenAt: new Date(now), expiresAt })
    .catch((error: unknown) =>
      log.warn({ err: error }, 'the expiry of a session could not be extended'),
    );
}
