import { collectTurn } from '../core/collect-turn.ts';
import type { Services } from '../core/context/context.ts';
import type { Cell } from '../core/wire/wire.ts';
import { epochMillis, isTimeZone } from '../core/time.ts';
import type { FeedView, Viewer } from '../core/context/viewer.ts';
import type { RowOf } from '../core/sql/types.ts';
import { enabledUser, extendSession, liveSessions } from './identify.sql.ts';
import { isToken, printedHash } from './tokens.ts';

/** A session ends this long after its last use, and at the latest after ABSOLUTE_LIFE; in milliseconds (D-70). */
export const SLIDING_LIFE = 12 * 3_600_000;
export const ABSOLUTE_LIFE = 7 * 24 * 3_600_000;
const SEEN_GRAIN = 60_000;

const { places } = liveSessions;

/**
 * The user of a session token; null for a missing, unknown, expired or revoked one. Checked in the database on every
 * request. Use prolongs the session; an open connection (`idle`) does not.
 */
export function identifyViewer(
  services: Services,
  token: string | undefined,
  { idle = false } = {},
): Promise<Viewer | null> {
  return token === undefined || !isToken(token)
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
  if (token === undefined || !isToken(token))
    return { cached: undefined, identified: Promise.resolve(null) };
  const key = printedHash(token);
  return {
    cached: sessionsOf(services).known.get(key)?.viewer,
    identified: identify(services, key, false),
  };
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

interface Sessions {
  /**
   * Reads a session in one statement together with those of all requests that arrived at the same time. A single
   * request does not wait for others.
   */
  read(this: void, key: string): Promise<Cell[] | undefined>;
  /** Sessions as they were last read. */
  known: Map<string, { row: readonly Cell[]; viewer: Viewer }>;
}

/** Most sessions that one statement reads. */
const MOST_AT_ONCE = 100;

interface Asked {
  key: string;
  resolve: (row: Cell[] | undefined) => void;
  reject: (error: unknown) => void;
}

const sessions = new WeakMap<Services['db'], Sessions>();

function sessionsOf({ db, clock }: Services): Sessions {
  let found = sessions.get(db);
  if (!found) {
    const read = async (asked: readonly Asked[]): Promise<void> => {
      try {
        const keys = asked.map(({ key }) => key);
        const rows = await liveSessions.read(db, { tokenHashes: keys, now: new Date(clock()) });
        const byKey = new Map(rows.map(({ cells }) => [cells[places.tokenHash], cells]));
        for (const { key, resolve } of asked) resolve(byKey.get(key));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    };
    const collect = collectTurn<Asked>((asked) => {
      for (let start = 0; start < asked.length; start += MOST_AT_ONCE)
        void read(asked.slice(start, start + MOST_AT_ONCE));
    });
    found = {
      read: (key) => new Promise((resolve, reject) => collect({ key, resolve, reject })),
      known: new Map(),
    };
    sessions.set(db, found);
  }
  return found;
}

/** Compares everything except when the session was last used and when it ends. */
function isSame(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.every(
    (cell, index) =>
      index === places.lastSeenAt || index === places.absoluteExpiresAt || cell === b[index],
  );
}

/**
 * A user without a session, in their default view, for what they published in their name; null when there is none or
 * they are disabled.
 */
export async function loadViewer(services: Services, userId: number): Promise<Viewer | null> {
  const row = await enabledUser.first(services.db, { userId });
  return row
    ? toViewer(services, row, { sessionId: '', currentView: row.defaultView, writtenLsn: 0 })
    : null;
}

/** The first user, for development without sessions (D-72); null when there is none. */
export async function firstViewer(services: Services): Promise<Viewer | null> {
  const first = await services.db.prisma.user.findFirst({
    where: { disabledAt: null },
    orderBy: { id: 'asc' },
  });
  return first && loadViewer(services, first.id);
}

type UserRow = Omit<RowOf<typeof enabledUser.row>, 'defaultView'>;
type SessionRow = RowOf<typeof liveSessions.row>;

/** A user as the viewer of a session. */
function toViewer(
  services: Services,
  { memberships, permissions, timeZone, ...user }: UserRow,
  session: Pick<SessionRow, 'sessionId' | 'currentView' | 'writtenLsn'>,
): Viewer {
  return {
    sessionId: session.sessionId,
    userId: user.userId,
    login: user.login,
    displayName: user.displayName,
    domainId: user.domainId,
    unitId: user.unitId,
    profileId: user.profileId,
    // Departments that are not home departments are negative.
    deptIds: memberships.map(Math.abs),
    homeDeptIds: memberships.filter((dept) => dept > 0),
    timeZone: knownZone(services, timeZone),
    langCode: user.langCode,
    currentView: parseView(session.currentView),
    permissions: new Set(permissions ? permissions.split(',') : []),
    configVersion: user.configVersion,
    writtenLsn: session.writtenLsn,
  };
}

/** Not awaited, so that the reply need not wait; if it fails, a request in another minute prolongs the session. */
function prolong(
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

const zones = new Map<string, boolean>();

function knownZone(services: Services, zone: string): string {
  let known = zones.get(zone);
  if (known === undefined) {
    zones.set(zone, (known = isTimeZone(zone)));
    if (!known) services.log.warn({ zone }, 'not an IANA time zone: UTC is used');
  }
  return known ? zone : 'UTC';
}

function parseView(view: string): FeedView {
  return view === 'DV' || view === 'SV' ? view : 'MV';
}
