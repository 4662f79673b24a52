import type { Services } from '../core/context/context.ts';
import { extendSessions } from './identify.sql.ts';

/** A session ends this long after its last use, and at the latest after ABSOLUTE_LIFE; in milliseconds (D-70). */
export const SLIDING_LIFE = 12 * 3_600_000;
export const ABSOLUTE_LIFE = 7 * 24 * 3_600_000;
/** Uses of a session, an API key or a SCIM token within this time are written once, in milliseconds. */
export const SEEN_GRAIN = 60_000;

/** Sessions whose use is being written, and those whose use is written next. */
interface Prolonging {
  running: ReadonlySet<string>;
  waiting: Set<string>;
}

const prolonging = new WeakMap<Services['db'], Prolonging>();

/**
 * Writes that a session is in use. Not awaited, so that the reply need not wait; if it fails, the next request prolongs
 * the session. Many requests of many sessions share a statement, so that they never take the connections of others.
 */
export function prolong(services: Services, sessionId: string): void {
  const sessions = prolonging.get(services.db);
  if (!sessions) return void prolongAll(services, new Set([sessionId]));
  if (!sessions.running.has(sessionId)) sessions.waiting.add(sessionId);
}

async function prolongAll({ db, log, clock }: Services, first: Set<string>): Promise<void> {
  const sessions: Prolonging = { running: first, waiting: new Set() };
  prolonging.set(db, sessions);
  while (sessions.running.size > 0) {
    const now = clock();
    try {
      await extendSessions.rows(db, {
        now: new Date(now),
        seenBefore: new Date(now - SEEN_GRAIN),
        expiresAt: new Date(now + SLIDING_LIFE),
        sessionIds: [...sessions.running],
      });
    } catch (error) {
      log.warn({ err: error }, 'the expiry of sessions could not be extended');
    }
    [sessions.running, sessions.waiting] = [sessions.waiting, new Set()];
  }
  prolonging.delete(db);
}

/** When the use of each key or token was last noted here, by its id. */
const noted = new WeakMap<Services['db'], Map<string, number>>();

/** Most of them that are remembered. */
const MOST_NOTED = 10_000;

/**
 * Notes that an API key or a SCIM token is in use. Not awaited, so that the reply need not wait; and once for all
 * requests that come together, so that they never take the connections of others.
 */
export function noteUse(
  { db, log, clock }: Services,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date | null },
  write: (used: { where: { id: string }; data: { lastUsedAt: Date } }) => Promise<unknown>,
): void {
  const now = clock();
  const known = noted.get(db) ?? new Map<string, number>();
  const last = Math.max(lastUsedAt?.getTime() ?? -Infinity, known.get(id) ?? -Infinity);
  if (now - last <= SEEN_GRAIN) return;
  if (known.size >= MOST_NOTED) known.clear();
  noted.set(db, known.set(id, now));
  write({ where: { id }, data: { lastUsedAt: new Date(now) } }).catch((error: unknown) => {
    known.delete(id);
    log.warn({ err: error }, 'the last use of a key could not be stored');
  });
}
