import type { ClientBase } from 'pg';
import type { ResolvedFeed } from './resolve-feed.ts';

/** Gives the feeds of the batch exactly the assignments of their records; returns the keys of feeds that changed. */
export function replaceAssignments(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
): Promise<string[]> {
  const subject =
    'coalesce(x.user_id, 0) = coalesce(w.user_id, 0) AND coalesce(x.dept_id, 0) = coalesce(w.dept_id, 0) AND coalesce(x.unit_id, 0) = coalesce(w.unit_id, 0) AND x.role = w.role';
  return replaceRows(client, feeds, (feed) => feed.assignments, {
    table: 'feed_assignment',
    columns: 'feed_key, user_id, dept_id, unit_id, role, assigned_role_text',
    same: subject,
    insert: `ON CONFLICT (feed_key, user_id, dept_id, unit_id, role) DO UPDATE SET assigned_role_text = excluded.assigned_role_text
      WHERE x.assigned_role_text IS DISTINCT FROM excluded.assigned_role_text`,
  });
}

/** Gives the feeds of the batch exactly the tags of their records; returns the keys of feeds that changed. */
export function replaceTags(client: ClientBase, feeds: readonly ResolvedFeed[]): Promise<string[]> {
  return replaceRows(client, feeds, (feed) => feed.tags, {
    table: 'feed_tag',
    columns: 'feed_key, tag_fold, tag',
    same: 'x.tag_fold = w.tag_fold',
    insert:
      'ON CONFLICT (feed_key, tag_fold) DO UPDATE SET tag = excluded.tag WHERE x.tag <> excluded.tag',
  });
}

/** Gives the feeds of the batch exactly the attributes of their records; returns the keys of feeds that changed. */
export function replaceAttributes(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
): Promise<string[]> {
  const same = 'x.scope = w.scope AND x.name = w.name AND x.value = w.value';
  return replaceRows(client, feeds, (feed) => feed.attributes, {
    table: 'feed_attribute',
    columns: 'feed_key, scope, name, value, value_fold',
    same,
    insert: '',
    onlyWhere: `NOT EXISTS (SELECT FROM feed_attribute x WHERE x.feed_key = w.feed_key AND ${same})`,
  });
}

interface PartTable {
  table: string;
  columns: string;
  /** Condition that a stored row x equals the wanted row w. */
  same: string;
  /** ON CONFLICT clause, if the table has a key. */
  insert: string;
  onlyWhere?: string;
}

async function replaceRows(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
  rowsOf: (feed: ResolvedFeed) => object[] | undefined,
  part: PartTable,
): Promise<string[]> {
  const given = feeds.filter((feed) => rowsOf(feed) !== undefined);
  const wanted = JSON.stringify(given.flatMap((feed) => rowsOf(feed) ?? []));
  const old = given.filter((feed) => !feed.isNew).map((feed) => feed.feedKey);
  const changed: string[] = [];
  if (old.length > 0) {
    const removed = await client.query<{ feed_key: string }>(
      `WITH w AS MATERIALIZED (SELECT * FROM json_populate_recordset(NULL::${part.table}, $2::json))
       DELETE FROM ${part.table} x WHERE x.feed_key = ANY ($1) AND NOT EXISTS (SELECT FROM w WHERE w.feed_key = x.feed_key AND ${part.same}) RETURNING x.feed_key`,
      [old, wanted],
    );
    for (const row of removed.rows) changed.push(row.feed_key);
  }
  if (wanted === '[]') return changed;
  const added = await client.query<{ feed_key: string }>(
    `INSERT INTO ${part.table} AS x (${part.columns}) SELECT ${part.columns} FROM json_populate_recordset(NULL::${part.table}, $1::json) w
     WHERE ${part.onlyWhere ?? 'true'} ${part.insert} RETURNING x.feed_key`,
    [wanted],
  );
  for (const row of added.rows) changed.push(row.feed_key);
  return changed;
}

const FLAGS = [
  'pinned',
  'favorite',
  'follow',
  'acknowledged',
  'watched',
  'promoted_to_note',
  'flag',
  'has_action',
  'action_taken',
  'has_notes',
];
const NO_FLAGS = JSON.stringify(Object.fromEntries(FLAGS.map((column) => [column, false])));
const flagsOf = (table: string): string => FLAGS.map((column) => `${table}.${column}`).join(', ');

/** Sets the flags in the records for the users that they name; returns the keys of changed feeds. */
export async function setUserStates(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
  now: Date,
): Promise<string[]> {
  const states = feeds.flatMap((feed) => feed.states);
  if (states.length === 0) return [];
  const { rows } = await client.query<{ feed_key: string }>(
    `INSERT INTO feed_user_state AS x (user_id, feed_key, ${FLAGS.join(', ')}, updated_at)
     SELECT r.user_id, r.feed_key, ${flagsOf('r')}, $2
     FROM jsonb_array_elements($1::jsonb) AS g (j)
     LEFT JOIN feed_user_state o ON o.user_id = (g.j ->> 'user_id')::int AND o.feed_key = (g.j ->> 'feed_key')::bigint
     CROSS JOIN LATERAL jsonb_populate_record(coalesce(o, jsonb_populate_record(NULL::feed_user_state, $3::jsonb)), g.j) r
     ON CONFLICT (user_id, feed_key) DO UPDATE SET (${FLAGS.join(', ')}, updated_at) = ROW(${flagsOf('excluded')}, excluded.updated_at)
     WHERE (${flagsOf('x')}) IS DISTINCT FROM (${flagsOf('excluded')})
     RETURNING x.feed_key`,
    [JSON.stringify(states), now, NO_FLAGS],
  );
  return rows.map((row) => row.feed_key);
}
