import { statement, statementFor, unseen } from '../../../core/sql/statement.ts';
import {
  bool,
  int4,
  int4s,
  int8,
  int8s,
  json,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '../../../core/sql/types.ts';
import { readableSql, type FeedReader } from '../selection/feed-visibility.sql.ts';

// What writes the parts of feeds, what users set on them, and their lists.

interface PartTable {
  columns: string;
  /** Condition that a stored row x equals the wanted row w. */
  same: string;
  /** What happens to a row whose key is there, or the condition that it is not. */
  clash: string;
}

const sameAttribute = 'x.scope = w.scope AND x.name = w.name AND x.value = w.value';

/** The tables whose rows an import replaces, feed by feed. */
const partTables = {
  feed_assignment: {
    columns: 'feed_key, user_id, dept_id, unit_id, role, assigned_role_text',
    same: 'coalesce(x.user_id, 0) = coalesce(w.user_id, 0) AND coalesce(x.dept_id, 0) = coalesce(w.dept_id, 0) AND coalesce(x.unit_id, 0) = coalesce(w.unit_id, 0) AND x.role = w.role',
    clash: `ON CONFLICT (feed_key, user_id, dept_id, unit_id, role) DO UPDATE SET assigned_role_text = excluded.assigned_role_text
      WHERE x.assigned_role_text IS DISTINCT FROM excluded.assigned_role_text`,
  },
  feed_tag: {
    columns: 'feed_key, tag_fold, tag',
    same: 'x.tag_fold = w.tag_fold',
    clash:
      'ON CONFLICT (feed_key, tag_fold) DO UPDATE SET tag = excluded.tag WHERE x.tag <> excluded.tag',
  },
  feed_attribute: {
    columns: 'feed_key, scope, name, value, value_fold',
    same: sameAttribute,
    clash: `WHERE NOT EXISTS (SELECT FROM feed_attribute x WHERE x.feed_key = w.feed_key AND ${sameAttribute})`,
  },
} as const satisfies Record<string, PartTable>;

export type FeedPart = keyof typeof partTables;
const feedParts = ['feed_assignment', 'feed_tag', 'feed_attribute'] as const;

/** Deletes the rows of feeds that are not wanted, and returns the feeds that had any. */
export const removeParts = statementFor({
  text: (args: { part: FeedPart; feedKeys: readonly number[]; wanted: string }, params) => {
    const { same } = partTables[args.part];
    const wanted = params.add(json, args.wanted);
    return `WITH w AS MATERIALIZED (SELECT * FROM json_populate_recordset(NULL::${args.part}, ${wanted}))
      DELETE FROM ${args.part} x WHERE x.feed_key = ANY (${params.add(int8s, args.feedKeys)})
        AND NOT EXISTS (SELECT FROM w WHERE w.feed_key = x.feed_key AND ${same}) RETURNING x.feed_key`;
  },
  row: { feedKey: int8 },
  samples: feedParts.map((part) => ({ part, feedKeys: [], wanted: '[]' })),
});

/** Stores the wanted rows that are not there, and returns their feeds. */
export const addParts = statementFor({
  text: ({ part, wanted }: { part: FeedPart; wanted: string }, params) => {
    const { columns, clash } = partTables[part];
    return `INSERT INTO ${part} AS x (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${part}, ${params.add(json, wanted)}) w
      ${clash} RETURNING x.feed_key`;
  },
  row: { feedKey: int8 },
  samples: feedParts.map((part) => ({ part, wanted: '[]' })),
});

/** Assigns a feed to a user, a department, both or nobody; it has none of these assignments. */
export const assignFeed = statement({
  text: `INSERT INTO feed_assignment (feed_key, user_id, dept_id)
    SELECT $feedKey, a.* FROM (VALUES ($userId::int, NULL), (NULL, $deptId::int)) AS a (user_id, dept_id) WHERE coalesce(a.user_id, a.dept_id) IS NOT NULL`,
  params: { feedKey: int8, userId: nullable(int4), deptId: nullable(int4) },
  row: {},
});

/** Notes that a user has acted on a feed. */
export const takeAction = statement({
  text: `INSERT INTO feed_user_state AS s (user_id, feed_key, action_taken, updated_at) VALUES ($userId, $feedKey, true, $now)
    ON CONFLICT (user_id, feed_key) DO UPDATE SET action_taken = true, updated_at = excluded.updated_at WHERE NOT s.action_taken`,
  params: { userId: int4, feedKey: int8, now: timestamptz },
  row: {},
});

/** The flags that users set themselves. */
const settable = [
  'pinned',
  'favorite',
  'follow',
  'acknowledged',
  'watched',
  'promoted_to_note',
] as const;
const flags = [...settable, 'flag', 'has_action', 'action_taken', 'has_notes'];
const flagsOf = (table: string, names: readonly string[] = flags): string =>
  names.map((flag) => `${table}.${flag}`).join(', ');

/** Sets flags of the reader on those of the feeds that the reader sees, and returns these feeds. */
export const setFlags = statementFor({
  text: (
    args: {
      reader: FeedReader;
      userId: number;
      feedKeys: readonly number[];
      values: Partial<Record<(typeof settable)[number], boolean | undefined>>;
      now: Date;
    },
    params,
  ) => {
    // They change lists: who changes the feed's other lists at the same time comes before or after.
    const changesLists = args.values.follow !== undefined || args.values.watched !== undefined;
    const visible = `SELECT f.feed_key FROM feed f WHERE f.feed_key = ANY (${unseen(`${params.add(int8s, args.feedKeys)}::bigint[]`)}::bigint[])
      AND EXISTS (SELECT FROM feed_listing l WHERE l.feed_key = f.feed_key AND ${readableSql('l', args.reader, params)})${changesLists ? ' ORDER BY f.feed_key FOR NO KEY UPDATE OF f' : ''}`;
    const names = settable.filter((flag) => args.values[flag] !== undefined);
    if (names.length === 0) return visible;
    const values = names.map((flag) => params.add(bool, args.values[flag] ?? null));
    return `WITH visible AS MATERIALIZED (${visible}), written AS (
        INSERT INTO feed_user_state AS s (user_id, feed_key, updated_at, ${names.join(', ')})
        SELECT ${params.add(int4, args.userId)}, feed_key, ${params.add(timestamptz, args.now)}, ${values.join(', ')} FROM visible ORDER BY feed_key
        ON CONFLICT (user_id, feed_key) DO UPDATE SET (updated_at, ${names.join(', ')}) = ROW(excluded.updated_at, ${flagsOf('excluded', names)})
        WHERE (${flagsOf('s', names)}) IS DISTINCT FROM (${flagsOf('excluded', names)})
      ) SELECT feed_key FROM visible`;
  },
  row: { feedKey: int8 },
  samples: [[], ['pinned'], settable].map((given) => ({
    reader: { lists: [], homeDeptIds: [] },
    userId: 1,
    feedKeys: [],
    values: Object.fromEntries(given.map((flag) => [flag, true])),
    now: new Date(0),
  })),
});

/** Sets the flags that import records give, for the users that they name, and returns the feeds and users of those that changed. */
export const saveStates = statement({
  text: `INSERT INTO feed_user_state AS x (user_id, feed_key, ${flags.join(', ')}, updated_at)
    SELECT r.user_id, r.feed_key, ${flagsOf('r')}, $now
    FROM jsonb_array_elements($rows) AS g (j)
    LEFT JOIN feed_user_state o ON o.user_id = (g.j ->> 'user_id')::int AND o.feed_key = (g.j ->> 'feed_key')::bigint
    CROSS JOIN LATERAL jsonb_populate_record(coalesce(o, jsonb_populate_record(NULL::feed_user_state,
      '${JSON.stringify(Object.fromEntries(flags.map((flag) => [flag, false])))}')), g.j) r
    ON CONFLICT (user_id, feed_key) DO UPDATE SET (${flags.join(', ')}, updated_at) = ROW(${flagsOf('excluded')}, excluded.updated_at)
    WHERE (${flagsOf('x')}) IS DISTINCT FROM (${flagsOf('excluded')})
    RETURNING x.feed_key, x.user_id`,
  params: { rows: jsonb, now: timestamptz },
  row: { feedKey: int8, userId: int4 },
});

/** Logs the flags that a bulk load has set, each for its user. */
export const logStates = statement({
  text: `WITH logged AS (
      INSERT INTO change_log (domain_id, feed_key, op, audience_user_id)
      SELECT u.domain_id, s.feed_key, 'S', u.id FROM unnest($feedKeys::bigint[], $userIds::int[]) s (feed_key, user_id) JOIN "user" u ON u.id = s.user_id
      RETURNING seq
    ) SELECT FROM (SELECT FROM logged LIMIT 1) l, change_log_announce()`,
  params: { feedKeys: int8s, userIds: int4s },
  row: {},
});

/**
 * Makes the rest of the transaction a bulk load: statements take as long as they need, and triggers leave the lists of
 * feeds, the counts of tasks and the log of flags to `refreshLists`, `countTasks` and `logStates`.
 */
export const startBulkLoad = statement({
  text: `SELECT FROM set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true) AS idle, set_config('trivium.bulk', 'on', true) AS bulk, set_config('trivium.marks', 'unlogged', true) AS marks`,
  params: {},
  row: {},
});

/** Locks those of the feeds that nobody else has locked, without waiting, and returns the others. */
export const lockFreeFeeds = statement({
  text: `WITH locked AS MATERIALIZED (SELECT feed_key FROM feed WHERE feed_key = ANY ($feedKeys) FOR NO KEY UPDATE SKIP LOCKED)
    SELECT feed_key FROM feed WHERE feed_key = ANY ($feedKeys) AND feed_key NOT IN (SELECT feed_key FROM locked)`,
  params: { feedKeys: int8s },
  row: { feedKey: int8 },
});

/** Brings the lists up to date for feeds that a bulk load changed. */
export const refreshLists = statement({
  text: 'SELECT FROM feed_listing_refresh($feedKeys)',
  params: { feedKeys: int8s },
  row: {},
});

/** Sets the sequence of keys above those that were imported, in its steps: see numberKeys. */
export const raiseKeySequence = statement({
  text: `SELECT setval(s.name::regclass, last.value + ceil((k.highest - last.value)::numeric / q.seqincrement)::bigint * q.seqincrement) AS highest
    FROM (SELECT pg_get_serial_sequence('feed', 'feed_key') AS name) s JOIN pg_sequence q ON q.seqrelid = s.name::regclass
      CROSS JOIN LATERAL (SELECT coalesce(pg_sequence_last_value(s.name::regclass), q.seqstart - q.seqincrement) AS value) last, (SELECT max(feed_key) AS highest FROM feed) k
    WHERE k.highest > last.value`,
  params: {},
  row: { highest: int8 },
});

/** Refreshes the planner's statistics of what imports of feeds fill. */
export const analyzeFeeds = statement({
  text: 'ANALYZE feed, feed_listing, feed_count, feed_count_delta, feed_assignment, feed_user_state, feed_attribute, feed_tag',
  params: {},
  row: {},
});

/** Stores the system filters of import records, where they differ, and returns those that did. */
export const saveSystemFilters = statement({
  text: `INSERT INTO system_filter AS f (domain_id, filter_id, name, layout, calendar_type, criteria, sort)
    SELECT domain_id, filter_id, name, layout, calendar_type, criteria, sort FROM jsonb_populate_recordset(NULL::system_filter, $rows)
    ON CONFLICT (domain_id, filter_id) DO UPDATE SET
      (name, layout, calendar_type, criteria, sort) = ROW(excluded.name, excluded.layout, excluded.calendar_type, excluded.criteria, excluded.sort)
    WHERE (f.name, f.layout, f.calendar_type, f.criteria, f.sort)
      IS DISTINCT FROM (excluded.name, excluded.layout, excluded.calendar_type, excluded.criteria, excluded.sort)
    RETURNING f.domain_id, f.filter_id`,
  params: { rows: jsonb },
  row: { domainId: int4, filterId: text },
});
