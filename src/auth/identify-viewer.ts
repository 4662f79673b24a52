import type { Services } from '../core/context/context.ts';
import type { Cell } from '../core/wire/wire.ts';
import { epochMillis } from '../core/time/instant-text.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { isSignedToken } from './access-token.ts';
import { liveSessions } from './identify.sql.ts';
import { isToken, printedHash } from './tokens.ts';
import { toViewer } from './to-viewer.ts';
import { places, sessionsOf } from './read-sessions.ts';
import { prolong, SEEN_GRAIN } from './prolong-session.ts';

/**
 * The user of a session token; null for a missing, unknown, expired or revoked one. Checked on every request, in the
 * database unless SessionMemory is sure. Use prolongs the session; an open connection (`idle`) does not.
 */
export function identifyViewer(
  services: Services,
  token: string | undefined,
  { idle = false } = {},
): Promise<Viewer | null> {
  return token === undefined || !mayNameSession(token)
    ? Promise.resolve(null)
    : identify(services, printedHash(token), idle);
}

/**
 * The same, and additionally the viewer that this token had when it was last identified here. Work may start with that
 * viewer, but is discarded unless `identified` resolves to the same object.
 */
export function cachedViewer(
  services: Services,
  token: string | undefined,
): { cached: Viewer | undefined; identified: Promise<Viewer | null> } {
  if (token === undefined || !mayNameSession(token))
    return { cached: undefined, identified: Promise.resolve(null) };
  const key = printedHash(token);
  return {
    cached: sessionsOf(services).memory.get(key)?.viewer,
    identified: identify(services, key, false),
  };
}

/** Our own token, or that of an OpenID provider which began the session. */
function mayNameSession(token: string): boolean {
  return isToken(token) || isSignedToken(token);
}

async function identify(services: Services, key: string, idle: boolean): Promise<Viewer | null> {
  const { read, memory } = sessionsOf(services);
  const sure = memory.recall(key, services.clock());
  if (sure) return sure;
  const moment = memory.moment();
  const row = await read(key);
  const last = memory.get(key);
  if (!row) {
    memory.forget(key);
    return null;
  }
  const now = services.clock();
  const at = (place: number): number => epochMillis(row[place] ?? '');
  const seenUntil = at(places.lastSeenAt) + SEEN_GRAIN;
  if (!idle && now > seenUntil) prolong(services, row[places.sessionId] ?? '');
  const viewer = last && isSame(last.row, row) ? last.viewer : viewerOf(services, row);
  const askAgainAt = Math.min(seenUntil, at(places.expiresAt), at(places.absoluteExpiresAt));
  memory.keep(key, { row, viewer, askAgainAt }, moment);
  return viewer;
}

function viewerOf(services: Services, row: Cell[]): Viewer {
  const session = liveSessions.decode(row);
  return toViewer(services, session, session);
}

const times = new Set([places.lastSeenAt, places.expiresAt, places.absoluteExpiresAt]);

/** Compares everything except when the session was last used and when it ends. */
function isSame(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.every((cell, index) => cell === b[index] || times.has(index));
}
