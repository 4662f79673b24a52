import type { ClientBase } from 'pg';
import type { ResolvedFeed } from './resolve-feed.ts';

/** Stores the rows of a batch and returns the keys of those that were new or different. What a record leaves out keeps its value. */
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

/** Column defaults of the table, which json_populate_recordset doesn't apply. */
const newFeed = {
  status: 'N',
  is_confidential: false,
  is_local: false,
  is_active: true,
  has_survey: false,
  has_attachment: false,
  has_comments: false,
  enable_comment: true,
  enable_action: true,
  has_history: false,
  has_actions: false,
  has_contents: false,
  has_key_attributes: false,
  show_acknowledge: false,
  show_claim: false,
  update_all_mul_asg_task_attr: false,
  is_edited: false,
  allow_future_quick_links: false,
  thread_flag: false,
  has_predecessor: false,
};

function withDefaults(
  row: Record<string, unknown>,
  defaults: Record<string, unknown>,
): Record<string, unknown> {
  const full: Record<string, unknown> = { ...row };
  for (const [column, value] of Object.entries(defaults)) full[column] ??= value;
  return full;
}

/** Everything that a record may give; the two times of change follow from whether anything else differs. */
const columns = [
  'kind',
  'parent_feed_key',
  'message_type',
  'status',
  'priority',
  'feed_type',
  'feed_type_id',
  'feed_type_id_desc',
  'cluster_id',
  'cluster_child_id',
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
  'feed_owner',
  'assign_to_desc',
  'is_confidential',
  'is_local',
  'is_active',
  'requestor_level',
  'exec_level',
  'org_level',
  'sugg_start_date',
  'sugg_end_date',
  'transaction_key',
  'txn_at',
  'lock_status',
  'title_css',
  'panel_config',
  'ext_link_info',
  'additional_attributes',
  'feed_params',
  'show_why_url',
  'show_how_url',
  'has_survey',
  'has_attachment',
  'has_comments',
  'enable_comment',
  'enable_action',
  'has_history',
  'has_actions',
  'has_contents',
  'has_key_attributes',
  'show_acknowledge',
  'show_claim',
  'update_all_mul_asg_task_attr',
  'is_edited',
  'allow_future_quick_links',
  'thread_flag',
  'has_predecessor',
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
