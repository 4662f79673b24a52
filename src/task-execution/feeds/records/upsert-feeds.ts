import type { ClientBase } from 'pg';
import type { ResolvedFeed } from './resolve-feed.ts';
import { sameColumns } from './same-columns.ts';

/**
 * Stores the rows of a batch and returns the keys of new and changed ones. Fields that a record omits keep their
 * values.
 */
export async function upsertFeeds(
  client: ClientBase,
  feeds: readonly ResolvedFeed[],
  now: Date,
): Promise<string[]> {
  const keys: string[] = [];
  const fresh = feeds.filter((feed) => feed.isNew).map((feed) => feed.row);
  if (fresh.length > 0) {
    const defaults = { ...newFeed, created_at: now, last_updated_at: now };
    const { rows } = await client.query<{ feed_key: string }>(INSERT, [
      JSON.stringify(fresh.map((row) => withDefaults(row, defaults))),
    ]);
    for (const row of rows) keys.push(row.feed_key);
  }
  const given = feeds.filter((feed) => !feed.isNew).map((feed) => feed.row);
  if (given.length > 0) {
    const { rows } = await client.query<{ feed_key: string }>(UPDATE, [JSON.stringify(given), now]);
    for (const row of rows) keys.push(row.feed_key);
  }
  return keys;
}

const newFeed = Object.fromEntries(
  Object.entries(sameColumns).filter(([, initial]) => initial !== null),
);

function withDefaults(
  row: Record<string, unknown>,
  defaults: Record<string, unknown>,
): Record<string, unknown> {
  const full: Record<string, unknown> = { ...row };
  for (const [column, value] of Object.entries(defaults)) full[column] ??= value;
  return full;
}

/** All columns that a record may set; the two times of change depend on whether anything else differs. */
const columns = [
  ...Object.keys(sameColumns),
  'kind',
  'parent_feed_key',
  'title',
  'title_fold',
  'description',
  'start_at',
  'end_at',
  'launch_at',
  'event_at',
  'event_end_at',
  'unit_id',
  'dept_id',
  'profile_id',
  'owner_user_id',
  'txn_at',
  'created_at',
  'last_action_at',
  'deleted_at',
];

const listOf = (table: string): string => columns.map((column) => `${table}.${column}`).join(', ');

const allColumns = `feed_key, domain_id, last_updated_at, ${columns.join(', ')}`;

const INSERT = `INSERT INTO feed (${allColumns}) SELECT ${allColumns} FROM json_populate_recordset(NULL::feed, $1::json) RETURNING feed_key`;

const UPDATE = `
  UPDATE feed f SET (${columns.join(', ')}) = ROW(${listOf('r')}), version = f.version + 1,
    last_updated_at = CASE WHEN g.j ? 'last_updated_at' THEN r.last_updated_at ELSE $2::timestamptz END
  FROM jsonb_array_elements($1::jsonb) AS g (j)
  JOIN feed o ON o.feed_key = (g.j ->> 'feed_key')::bigint
  CROSS JOIN LATERAL jsonb_populate_record(o, g.j) r
  WHERE f.feed_key = o.feed_key
    AND ((${listOf('f')}) IS DISTINCT FROM (${listOf('r')}) OR (g.j ? 'last_updated_at' AND f.last_updated_at <> r.last_updated_at))
  RETURNING f.feed_key`;
