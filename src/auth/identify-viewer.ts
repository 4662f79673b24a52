import { collectTurn } from '../core/collect-turn.ts';
import type { Services } from '../core/context/context.ts';
import type { Cell } from '../core/wire/wire.ts';
import { epochMillis, isTimeZone } from '../core/time.ts';
import type { FeedView, Viewer } from '../core/context/viewer.ts';
import { isToken, printedHash } from './tokens.ts';

/** A session lives this long after its last use, and at most ABSOLUTE_LIFE in all, in milliseconds (D-70). */
export const SLIDING_LIFE = 12 * 3_600_000;
export const ABSOLUTE_LIFE = 7 * 24 * 3_600_000;
const SEEN_GRAIN = 60_000;

const USER = `u.id, u.login, u.display_name, u.domain_id, u.unit_id, u.profile_id,
    coalesce(u.time_zone_long, n.time_zone, 'UTC'), u.lang_code, d.config_version,
    array_to_string(ARRAY(SELECT CASE WHEN is_home THEN dept_id ELSE -dept_id END FROM user_dept WHERE user_id = u.id ORDER BY dept_id), ','),
    array_to_string(ARRAY(SELECT permission FROM permission_grant
      WHERE (subject_type = 'USER' AND subject_id = u.id) OR (subject_type = 'PROFILE' AND subject_id = u.profile_id)), ',')`;

const IDENTIFY = `SELECT s.id, s.current_view, s.last_seen_at, s.absolute_expires_at, s.written_lsn, ${USER}, s.token_hash
  FROM session s JOIN "user" u ON u.id = s.user_id JOIN domain d ON d.id = u.domain_id LEFT JOIN unit n ON n.id = u.unit_id
  WHERE s.token_hash = ANY ($1::bytea[]) AND s.revoked_at IS NULL AND s.expires_at > $2 AND s.absolute_expires_at > $2 AND u.disabled_at IS NULL`;

/** The user of a session token, or null for a missing, unknown, expired or revoked one. Checked in the database on every request; use prolongs the session, an open connection (`idle`) does not. */
export function identifyViewer(
  services: Services,
  token: string | undefined,
  { idle = false } = {},
): Promise<Viewer | null> {
  return token === undefined || !isToken(token)
    ? Promise.resolve(null)
    : identify(services, printedHash(token), idle);
}

/** The same, and who the token was when it was last identified here: for work that is thrown away unless `identified` is the same object. */
export function recallViewer(
  services: Services,
  token: string | undefined,
): { recalled: Viewer | undefined; identified: Promise<Viewer | null> } {
  if (token === undefined || !isToken(token))
    return { recalled: undefined, identified: Promise.resolve(null) };
  const key = printedHash(token);
  return {
    recalled: sessionsOf(services).known.get(key)?.viewer,
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
  const [sessionId, , lastSeen, absoluteEnd] = row;
  const now = services.clock();
  if (!idle && now - epochMillis(lastSeen ?? '') > SEEN_GRAIN)
    prolong(services, sessionId ?? '', now, epochMillis(absoluteEnd ?? ''));
  if (last && isSame(last.row, row)) return last.viewer;
  const viewer = toViewer(services, row);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, { row, viewer });
  return viewer;
}

/** Sessions that this process remembers, at most. */
const MOST_KNOWN = 10_000;

interface Sessions {
  /** Reads a session, in one statement with those of all requests that arrived together: under load there are several, and alone none waits. */
  read(this: void, key: string): Promise<Cell[] | undefined>;
  /** As they were when they were last read. */
  known: Map<string, { row: readonly Cell[]; viewer: Viewer }>;
}

/** Sessions that one statement reads, at most. */
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
        const rows = await db.read(IDENTIFY, [keys, new Date(clock()).toISOString()]);
        const byKey = new Map(rows.map(({ cells }) => [cells.at(-1), cells]));
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

/** Everything but when the session was used, and when it ends. */
function isSame(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.every((cell, index) => index === 2 || index === 3 || cell === b[index]);
}

/** A user without a session, in their default view, for what they let others read in their name; null when there is none or they are disabled. */
export async function loadViewer(services: Services, userId: number): Promise<Viewer | null> {
  const sql = `SELECT '', u.default_view, NULL, NULL, 0, ${USER}
    FROM "user" u JOIN domain d ON d.id = u.domain_id LEFT JOIN unit n ON n.id = u.unit_id WHERE u.id = $1 AND u.disabled_at IS NULL`;
  const [row] = await services.db.rows(sql, [userId]);
  return row ? toViewer(services, row) : null;
}

/** The first user, for development without sessions (D-72); null when there is none. */
export async function firstViewer(services: Services): Promise<Viewer | null> {
  const [row] = await services.db.rows('SELECT min(id) FROM "user" WHERE disabled_at IS NULL', []);
  return row?.[0] == null ? null : loadViewer(services, Number(row[0]));
}

/** A row of session and user as the viewer. */
function toViewer(services: Services, row: readonly Cell[]): Viewer {
  const [
    sessionId,
    view,
    ,
    ,
    writtenLsn,
    userId,
    login,
    displayName,
    domainId,
    unitId,
    profileId,
    zone,
    langCode,
    configVersion,
    depts,
    permissions,
  ] = row;
  // Those that are no home are negative.
  const memberships = depts ? depts.split(',').map(Number) : [];
  return {
    sessionId: sessionId ?? '',
    userId: Number(userId),
    login: login ?? '',
    displayName: displayName ?? '',
    domainId: Number(domainId),
    unitId: nullable(unitId),
    profileId: nullable(profileId),
    deptIds: memberships.map(Math.abs),
    homeDeptIds: memberships.filter((dept) => dept > 0),
    timeZone: knownZone(services, zone ?? 'UTC'),
    langCode: langCode ?? 'en',
    currentView: parseView(view),
    permissions: new Set(permissions ? permissions.split(',') : []),
    configVersion: Number(configVersion),
    writtenLsn: Number(writtenLsn),
  };
}

/** Not awaited: an answer does not wait for it, and a session that is not prolonged this minute is the next. */
function prolong(services: Services, sessionId: string, now: number, absoluteEnd: number): void {
  const expires = Math.min(now + SLIDING_LIFE, absoluteEnd);
  services.db
    .rows('UPDATE session SET last_seen_at = $2, expires_at = $3 WHERE id = $1', [
      sessionId,
      new Date(now).toISOString(),
      new Date(expires).toISOString(),
    ])
    .catch((error: unknown) => services.log.warn({ err: error }, 'session not prolonged'));
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

function parseView(view: Cell | undefined): FeedView {
  return view === 'DV' || view === 'SV' ? view : 'MV';
}

function nullable(cell: Cell | undefined): number | null {
  return cell == null ? null : Number(cell);
}
