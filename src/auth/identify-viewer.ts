import type { Services } from '../core/context/context.ts';
import type { Cell } from '../core/wire/wire.ts';
import { epochMillis } from '../core/time/instant-text.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { isSignedToken } from './access-token.ts';
import { liveSessions } from './identify.sql.ts';
import { isToken, printedHash } from './tokens.ts';
import { toViewer } from './to-viewer.ts';
import { places, sessionsOf } from './read-sessions.ts';
import { prolong } from './prolong-session.ts';

const SEEN_GRAIN = 60_000;

/**
 * The user of a session token; null for a missing, unknown, expired or revoked one. Checked in the database on every
 * request. Use prolongs the session; an open connection (`idle`) does not.
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
    cached: sessionsOf(services).known.get(key)?.viewer,
    identified: identify(services, key, false),
  };
}

/** Our own token, or that of an OpenID provider which began the session. */
function mayNameSession(token: string): boolean {
  return isToken(token) || isSignedToken(token);
}

async function identify(services: Services, key: string, idle: boolean): Promise<Viewer | null> {
  const { read, known } = sessionsOf(services);
  const row = await read(key);
  const last = known.get(key);
  if (!row) {
    known.delete(key);
    return null;
  }
  const now = services.clock();
  if (!idle && now - epochMillis(row[places.lastSeenAt] ?? '') > SEEN_GRAIN)
    prolong(services, liveSessions.decode(row), now);
  if (last && isSame(last.row, row)) return last.viewer;
  const session = liveSessions.decode(row);
  const viewer = toViewer(services, session, session);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, { row, viewer });
  return viewer;
}

/** Most sessions that this process remembers. */
const MOST_KNOWN = 10_000;

/** Compares everything except when the session was last used and when it ends. */
function isSame(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.every(
    (cell, index) =>
      index === places.lastSeenAt || index === places.absoluteExpiresAt || cell === b[index],
  );
}
