import type { FeedFieldType } from './feed-codecs.ts';

/**
 * The status that clients see: `O` when an open feed ended more than the configured days ago (D-50). `:overdueBefore` is that instant.
 * Written for any row that has a status and an end: pass the SQL of both.
 */
export function effectiveStatusSql(status: string, end: string): string {
  return `CASE WHEN ${status} IN ('N', 'R', 'P') AND ${end} < :overdueBefore::timestamptz THEN 'O' ELSE ${status} END`;
}

const OVERDUE_TASKS = `CASE WHEN f.task_count > 0 THEN (SELECT count(*) FROM feed t WHERE t.parent_feed_key = f.feed_key AND t.kind = 'TASK'
  AND t.deleted_at IS NULL AND ${effectiveStatusSql('t.status', 't.end_at')} = 'O') ELSE 0 END`;
const EFFECTIVE_STATUS = effectiveStatusSql('f.status', 'f.end_at');

export interface FeedField {
  type: FeedFieldType;
  /** Returned when `projections` is omitted. */
  isDefault?: true;
  /** Over `f` (feed) and `s` (feed_user_state of the viewer); `:user` and `:overdueBefore` are bound when used. */
  sql: string;
  description: string;
}

/**
 * The registry of all 74 documented feed fields (task-execution.md "Feed object", feed-fields.md), in document order. REST names, types and
 * projections, and the GraphQL fields with their descriptions, come from here.
 */
export const feedFields = {
  feed_key: {
    type: 'bigInteger',
    isDefault: true,
    sql: 'f.feed_key',
    description: 'Numeric feed identifier, always present.',
  },
  feed_title: {
    type: 'text',
    isDefault: true,
    sql: 'f.title',
    description: 'Title, always plain text in GraphQL.',
  },
  message_type: {
    type: 'text',
    isDefault: true,
    sql: 'f.message_type',
    description: 'Message type key, see `message_type_data`.',
  },
  status: {
    type: 'status',
    isDefault: true,
    sql: EFFECTIVE_STATUS,
    description: 'Effective status (D-50).',
  },
  priority: {
    type: 'integer',
    isDefault: true,
    sql: 'f.priority',
    description: 'Priority number, see `priority_data`.',
  },
  feed_type: { type: 'text', isDefault: true, sql: 'f.feed_type', description: 'Feed type.' },
  feed_type_id: {
    type: 'text',
    isDefault: true,
    sql: 'f.feed_type_id',
    description: 'Feed type id.',
  },
  cluster_id: { type: 'text', isDefault: true, sql: 'f.cluster_id', description: 'Cluster id.' },
  cluster_child_id: {
    type: 'text',
    isDefault: true,
    sql: 'f.cluster_child_id',
    description: 'Child id inside the cluster.',
  },
  start_date_time: {
    type: 'wall',
    isDefault: true,
    sql: 'f.start_at',
    description: 'Start, wall time in the session zone.',
  },
  end_date_time: {
    type: 'wall',
    isDefault: true,
    sql: 'f.end_at',
    description: 'End, wall time in the session zone.',
  },
  display_launch_date: {
    type: 'wall',
    isDefault: true,
    sql: 'f.launch_at',
    description: 'Launch date for display.',
  },
  create_dtm: { type: 'wall', isDefault: true, sql: 'f.created_at', description: 'Creation time.' },
  last_updated_time: {
    type: 'millis',
    isDefault: true,
    sql: 'f.last_updated_at',
    description: 'Last change, epoch milliseconds.',
  },
  task_count: {
    type: 'integer',
    isDefault: true,
    sql: 'f.task_count',
    description: 'Tasks below this feed.',
  },
  overdue_task_count: {
    type: 'integer',
    isDefault: true,
    sql: OVERDUE_TASKS,
    description: 'Overdue tasks below this feed.',
  },
  pin: {
    type: 'flag',
    isDefault: true,
    sql: 's.pinned',
    description: 'Pinned by the session user.',
  },
  favorite_flag: {
    type: 'flag',
    isDefault: true,
    sql: 's.favorite',
    description: 'Favorite of the session user.',
  },
  acknowledged_flag: {
    type: 'flag',
    isDefault: true,
    sql: 's.acknowledged',
    description: 'Acknowledged by the session user.',
  },
  is_confidential: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.is_confidential',
    description: 'Only visible to home departments.',
  },
  has_survey: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_survey',
    description: 'A survey is attached.',
  },
  title_css: {
    type: 'text',
    isDefault: true,
    sql: 'f.title_css',
    description: 'CSS of the title.',
  },
  panel_config: {
    type: 'json',
    isDefault: true,
    sql: 'f.panel_config',
    description: 'Presentation of the panel.',
  },
  assign_to_desc: {
    type: 'text',
    isDefault: true,
    sql: 'f.assign_to_desc',
    description: 'Who it is assigned to, as text.',
  },
  has_comments: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_comments',
    description: 'Has comments.',
  },
  enable_comment: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.enable_comment',
    description: 'Comments are allowed.',
  },
  future_feed: {
    type: 'future',
    isDefault: true,
    sql: 'f.start_at',
    description: 'Starts in the future.',
  },
  show_why_url: {
    type: 'url',
    isDefault: true,
    sql: 'f.show_why_url',
    description: 'Link that explains why.',
  },
  has_action: {
    type: 'boolean',
    isDefault: true,
    sql: 's.has_action',
    description: 'The session user has an open action.',
  },
  enable_action: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.enable_action',
    description: 'Actions are allowed.',
  },
  show_how_url: {
    type: 'url',
    isDefault: true,
    sql: 'f.show_how_url',
    description: 'Link that explains how.',
  },
  has_history: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_history',
    description: 'Has history.',
  },
  has_user_notes: {
    type: 'boolean',
    isDefault: true,
    sql: 's.has_notes',
    description: 'The session user has notes.',
  },
  has_actions: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_actions',
    description: 'Anyone has actions.',
  },
  has_contents: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_contents',
    description: 'Has contents.',
  },
  has_key_attributes: {
    type: 'boolean',
    isDefault: true,
    sql: 'f.has_key_attributes',
    description: 'Has key attributes.',
  },
  transaction_key: {
    type: 'bigInteger',
    sql: 'f.transaction_key',
    description: 'Transaction key.',
  },
  feed_owner: { type: 'text', sql: 'f.feed_owner', description: 'Owner name.' },
  feed_type_id_desc: {
    type: 'text',
    sql: 'f.feed_type_id_desc',
    description: 'Feed type description.',
  },
  ext_link_info: { type: 'json', sql: 'f.ext_link_info', description: 'External link data.' },
  dept_id: { type: 'integer', sql: 'f.dept_id', description: 'Department.' },
  end_date_utc: { type: 'utc', sql: 'f.end_at', description: 'End, UTC.' },
  display_start_date: { type: 'wall', sql: 'f.start_at', description: 'Start for display.' },
  last_action_time_in_millis: {
    type: 'millis',
    sql: 'f.last_action_at',
    description: 'Last action, epoch milliseconds.',
  },
  profile_id: { type: 'integer', sql: 'f.profile_id', description: 'Profile.' },
  display_date: {
    type: 'wall',
    sql: 'coalesce(f.start_at, f.launch_at)',
    description: 'Date for display.',
  },
  has_predecessor: {
    type: 'boolean',
    sql: 'f.has_predecessor',
    description: 'Depends on another feed.',
  },
  show_acknowledge: {
    type: 'boolean',
    sql: 'f.show_acknowledge',
    description: 'Offer "acknowledge".',
  },
  last_updated_time_in_millis: {
    type: 'millis',
    sql: 'f.last_updated_at',
    description: 'Same instant as `last_updated_time`.',
  },
  event_date: { type: 'wall', sql: 'f.event_at', description: 'Event start.' },
  additional_attributes: {
    type: 'json',
    sql: 'f.additional_attributes',
    description: 'Further attributes.',
  },
  show_claim: { type: 'boolean', sql: 'f.show_claim', description: 'Offer "claim".' },
  promote_to_note_flag: {
    type: 'flag',
    sql: 's.promoted_to_note',
    description: 'Promoted to a note by the session user.',
  },
  update_all_mul_asg_task_attr: {
    type: 'boolean',
    sql: 'f.update_all_mul_asg_task_attr',
    description: 'Attribute changes apply to all assignees.',
  },
  flag: { type: 'flag', sql: 's.flag', description: 'Flag of the session user.' },
  is_edited: { type: 'boolean', sql: 'f.is_edited', description: 'Edited after launch.' },
  allow_future_quick_links: {
    type: 'boolean',
    sql: 'f.allow_future_quick_links',
    description: 'Quick links allowed before start.',
  },
  thread_flag: { type: 'flag', sql: 'f.thread_flag', description: 'Has a comment thread.' },
  acknowledge_flag: {
    type: 'flag',
    sql: 's.acknowledged',
    description: 'Same value as `acknowledged_flag` (D-81).',
  },
  txn_dtm: { type: 'wall', sql: 'f.txn_at', description: 'Transaction time.' },
  lock_status: { type: 'text', sql: 'f.lock_status', description: 'Lock state.' },
  start_date_utc: { type: 'utc', sql: 'f.start_at', description: 'Start, UTC.' },
  unit_id: { type: 'integer', sql: 'f.unit_id', description: 'Unit (store).' },
  last_action_time: { type: 'millis', sql: 'f.last_action_at', description: 'Last action.' },
  action_taken_flag: {
    type: 'flag',
    sql: 's.action_taken',
    description: 'The session user has acted.',
  },
  time_to_act: {
    type: 'remaining',
    sql: 'f.end_at',
    description: 'Milliseconds until the end; negative when overdue.',
  },
  feed_description: { type: 'text', sql: 'f.description', description: 'Description.' },
  feed_params: { type: 'json', sql: 'f.feed_params', description: 'Parameters.' },
  event_end_date: { type: 'wall', sql: 'f.event_end_at', description: 'Event end.' },
  watch_flag: { type: 'flag', sql: 's.watched', description: 'Watched by the session user.' },
  follow: { type: 'flag', sql: 's.follow', description: 'Followed by the session user.' },
  user_id: { type: 'integer', sql: ':user::int', description: 'User the row was built for.' },
  feed_task_count: {
    type: 'integer',
    sql: 'f.feed_task_count',
    description: 'Tasks including closed ones.',
  },
  display_end_date: { type: 'wall', sql: 'f.end_at', description: 'End for display.' },
} as const satisfies Record<string, FeedField>;

/** Documented name of a feed field, as in `projections`. */
export type FeedFieldName = keyof typeof feedFields;

/** What GraphQL shows of a feed beyond the documented fields. */
export const feedDetails = {
  kind: { type: 'text', sql: 'f.kind', description: 'Project, task, message or walk.' },
  version: { type: 'integer', sql: 'f.version', description: 'Increases with every change.' },
  starts_at: { type: 'instant', sql: 'f.start_at', description: 'Real start instant.' },
  ends_at: { type: 'instant', sql: 'f.end_at', description: 'Real end instant.' },
  suggested_start_date: {
    type: 'day',
    sql: 'f.sugg_start_date',
    description: 'Suggested start. REST write: `sugg_start_date_val`.',
  },
  suggested_end_date: {
    type: 'day',
    sql: 'f.sugg_end_date',
    description: 'Suggested end. REST write: `sugg_end_date_val`.',
  },
  parent_feed_key: {
    type: 'bigInteger',
    sql: 'f.parent_feed_key',
    description: 'Key of the feed above.',
  },
} as const satisfies Record<string, FeedField>;

const NAMES_OF = (subject: string, name: string): string =>
  `(SELECT string_agg(n.${name}, ', ' ORDER BY n.${name}) FROM feed_assignment a JOIN ${subject === 'user' ? '"user"' : subject} n ON n.id = a.${subject}_id WHERE a.feed_key = f.feed_key)`;

/** What calendars show of a feed beyond that. */
export const calendarColumns = {
  has_attachment: { type: 'boolean', sql: 'f.has_attachment', description: 'A file is attached.' },
  assigned_role: {
    type: 'text',
    sql: '(SELECT coalesce(a.assigned_role_text, a.role) FROM feed_assignment a WHERE a.feed_key = f.feed_key ORDER BY a.user_id = :user DESC NULLS LAST, a.id LIMIT 1)',
    description: 'Role of the assignment: yours if there is one, else the first.',
  },
  assigned_to: {
    type: 'text',
    sql: `coalesce(${NAMES_OF('user', 'display_name')}, ${NAMES_OF('dept', 'name')}, ${NAMES_OF('unit', 'name')}, f.assign_to_desc)`,
    description: 'The persons that it is assigned to, else the departments, else the units.',
  },
  legend_id: {
    type: 'integer',
    sql: '(SELECT g.legend_id FROM feed_legend g WHERE g.feed_key = f.feed_key)',
    description: 'Legend in the leadership calendar.',
  },
} as const satisfies Record<string, FeedField>;

/** Any column that a feed row may be read with. */
export type FeedColumn = FeedFieldName | keyof typeof feedDetails | keyof typeof calendarColumns;

/** The definition of any column. */
export const feedColumns: Readonly<Record<FeedColumn, FeedField>> = {
  ...feedFields,
  ...feedDetails,
  ...calendarColumns,
};

const names = new Set<string>(Object.keys(feedFields));

export function isFeedFieldName(name: string): name is FeedFieldName {
  return names.has(name);
}

/** All 74 names in document order. */
export const feedFieldNames: readonly FeedFieldName[] =
  Object.keys(feedFields).filter(isFeedFieldName);

/** The 36 fields of a reply without `projections` (F165). */
export const defaultFeedFields: readonly FeedFieldName[] = feedFieldNames.filter(
  (name) => feedColumns[name].isDefault === true,
);

/** GraphQL name of a documented field: its camelCase (F002). */
export function graphqlName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function isFeedColumn(name: string): name is FeedColumn {
  return name in feedColumns;
}

/** The column that a GraphQL field of a feed is made of. */
export const columnOf: ReadonlyMap<string, FeedColumn> = new Map([
  ...Object.keys(feedColumns)
    .filter(isFeedColumn)
    .map((name) => [graphqlName(name), name] as const),
  ['parent', 'parent_feed_key'],
]);
