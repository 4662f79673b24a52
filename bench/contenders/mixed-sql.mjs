// What a store does besides reading pages, in SQL as one would write it by hand over Trivium's tables: shared by Mercurius and PostGraphile. All are of one unit.
import { fields } from './feed-sql.mjs';

const NEVER = "'9999-12-31 23:59:59+00'";
const open = (unit, homeDepts) =>
  `l.list = 50 AND l.subject_id = ${unit} AND (l.confidential_dept IS NULL OR l.confidential_dept = ANY (${homeDepts}::int[]))`;

/** The 36 fields as columns, each under the name that is wanted. */
export const columnsAs = (nameOf, overrides = {}) =>
  Object.entries({ ...fields, ...overrides })
    .map(([name, sql]) => `${sql} AS "${nameOf(name)}"`)
    .join(', ');

const states = 'LEFT JOIN feed_user_state s ON s.user_id = $1 AND s.feed_key = l.feed_key';

/** The 20 feeds that changed last, after an instant. Parameters: user, unit, home departments, instant. */
export const changed = (columns) => `SELECT ${columns}
  FROM (SELECT feed_key, last_updated_at FROM feed WHERE unit_id = $2 AND last_updated_at > $4 ORDER BY last_updated_at DESC LIMIT 20) k
  JOIN feed_listing l ON l.feed_key = k.feed_key AND ${open('$2', '$3')}
  JOIN feed f ON f.feed_key = l.feed_key ${states} ORDER BY k.last_updated_at DESC`;

/** The first 20 feeds, by their end, that overlap an interval. Parameters: user, unit, home departments, from, to. */
export const calendar = (columns) => `SELECT ${columns}
  FROM (SELECT l.* FROM feed_listing l WHERE ${open('$2', '$3')} AND l.end_sort >= $4::timestamptz
      AND (l.end_sort <> ${NEVER} OR l.start_sort >= $4::timestamptz) AND (l.start_sort < $5::timestamptz OR l.end_sort < $5::timestamptz)
    ORDER BY l.end_sort, l.feed_key LIMIT 20) l
  JOIN feed f ON f.feed_key = l.feed_key ${states} ORDER BY l.end_sort, l.feed_key`;

/** Feeds by priority. Parameters: unit, home departments. */
export const counts = `SELECT l.priority_sort AS priority, count(*)::int AS count FROM feed_listing l WHERE ${open('$1', '$2')} GROUP BY l.priority_sort`;

const visible = (unit, key) =>
  `EXISTS (SELECT FROM feed_listing l WHERE l.list = 50 AND l.subject_id = ${unit} AND l.feed_key = ${key})`;

/** Pins a feed for a user. Parameters: user, unit, feed, pinned. */
export const setPinned = `INSERT INTO feed_user_state (user_id, feed_key, pinned, updated_at) SELECT $1, $3, $4, now() WHERE ${visible('$2', '$3')}
  ON CONFLICT (user_id, feed_key) DO UPDATE SET pinned = excluded.pinned, updated_at = now() RETURNING true`;

/** Moves a feed to another status. Parameters: unit, feed, status. */
export const setStatus = `UPDATE feed SET status = $3::bpchar, version = version + 1, last_updated_at = now()
  WHERE feed_key = $2 AND status <> $3::bpchar AND ${visible('$1', '$2')} RETURNING true`;

/** Creates a task of the tracker. Parameters: user, name. */
export const createTask = `WITH f AS (
    INSERT INTO feed (domain_id, kind, feed_type, title, title_fold, status, owner_user_id, created_at, last_updated_at)
    SELECT domain_id, 'TASK', 'EXTERNAL', $2, lower($2), 'N', id, now(), now() FROM "user" WHERE id = $1 RETURNING feed_key)
  INSERT INTO external_task (id, feed_key, name, priority, created_at) SELECT gen_random_uuid(), feed_key, $2, 'MEDIUM', now() FROM f RETURNING true`;
