import { effectiveStatusSql } from './effective-status.ts';
import { int8, type SqlType } from '../../../core/sql/types.ts';
import type { FeedFieldType } from './feed-codecs.ts';

const OVERDUE_TASKS = `CASE WHEN f.task_count > 0 THEN (SELECT count(*) FROM feed t WHERE t.parent_feed_key = f.feed_key AND t.kind = 'TASK'
  AND t.deleted_at IS NULL AND ${effectiveStatusSql('t.status', 't.end_at')} = 'O') ELSE 0 END`;
const EFFECTIVE_STATUS = effectiveStatusSql('f.status', 'f.end_at');

export interface FeedField {
  type: FeedFieldType;
  /** Returned when `projections` is omitted. */
  isDefault?: true;
  /** SQL over `f` (feed) and `s` (the viewer's feed_user_state); `:user` and `:overdueBefore` are bound when used. */
  sql: string;
  /** Type of its cells, if they are not those of its type of field. */
  stored?: SqlType<unknown>;
  description: string;
}

/** A field that is returned when `projections` is omitted. */
function shown(type: FeedFieldType, sql: string, description: string): FeedField {
  return { type, isDefault: true, sql, description };
}

/** A field that is returned only when `projections` names it. */
function additional(type: FeedFieldType, sql: string, description: string): FeedField {
  return { type, sql, description };
}

/**
 * The registry of all 74 documented feed fields, in document order. REST names, types and projections, and the GraphQL
 * fields with their descriptions, come from here.
 */
export const feedFields = {
  feed_key: shown('bigInteger', 'f.feed_key', 'Numeric feed identifier, always present.'),
  feed_title: shown('text', 'f.title', 'Title, always plain text in GraphQL.'),
  message_type: shown('text', 'f.message_type', 'Message type key, see `message_type_data`.'),
  status: shown('status', EFFECTIVE_STATUS, 'Effective status (D-50).'),
  priority: shown('integer', 'f.priority', 'Priority number, see `priority_data`.'),
  feed_type: shown('text', 'f.feed_type', 'Feed type.'),
  feed_type_id: shown('text', 'f.feed_type_id', 'Feed type id.'),
  cluster_id: shown('text', 'f.cluster_id', 'Cluster id.'),
  cluster_child_id: shown('text', 'f.cluster_child_id', 'Child id inside the cluster.'),
  start_date_time: shown('wall', 'f.start_at', 'Start, wall time in the session zone.'),
  end_date_time: shown('wall', 'f.end_at', 'End, wall time in the session zone.'),
  display_launch_date: shown('wall', 'f.launch_at', 'Launch date for display.'),
  create_dtm: shown('wall', 'f.created_at', 'Creation time.'),
  last_updated_time: shown('millis', 'f.last_updated_at', 'Last change, epoch milliseconds.'),
  task_count: shown('integer', 'f.task_count', 'Tasks below this feed.'),
  overdue_task_count: {
    ...shown('integer', OVERDUE_TASKS, 'Overdue tasks below this feed.'),
    stored: int8,
  },
  pin: shown('flag', 's.pinned', 'Pinned by the session user.'),
  favorite_flag: shown('flag', 's.favorite', 'Favorite of the session user.'),
  acknowledged_flag: shown('flag', 's.acknowledged', 'Acknowledged by the session user.'),
  is_confidential: shown('boolean', 'f.is_confidential', 'Only visible to home departments.'),
  has_survey: shown('boolean', 'f.has_survey', 'A survey is attached.'),
  title_css: shown('text', 'f.title_css', 'CSS of the title.'),
  panel_config: shown('json', 'f.panel_config', 'Presentation of the panel.'),
  assign_to_desc: shown('text', 'f.assign_to_desc', 'Who it is assigned to, as text.'),
  has_comments: shown('boolean', 'f.has_comments', 'Has comments.'),
  enable_comment: shown('boolean', 'f.enable_comment', 'Comments are allowed.'),
  future_feed: shown('future', 'f.start_at', 'Starts in the future.'),
  show_why_url: shown('url', 'f.show_why_url', 'Link that explains why.'),
  has_action: shown('boolean', 's.has_action', 'The session user has an open action.'),
  enable_action: shown('boolean', 'f.enable_action', 'Actions are allowed.'),
  show_how_url: shown('url', 'f.show_how_url', 'Link that explains how.'),
  has_history: shown('boolean', 'f.has_history', 'Has history.'),
  has_user_notes: shown('boolean', 's.has_notes', 'The session user has notes.'),
  has_actions: shown('boolean', 'f.has_actions', 'Anyone has actions.'),
  has_contents: shown('boolean', 'f.has_contents', 'Has contents.'),
  has_key_attributes: shown('boolean', 'f.has_key_attributes', 'Has key attributes.'),
  transaction_key: additional('bigInteger', 'f.transaction_key', 'Transaction key.'),
  feed_owner: additional('text', 'f.feed_owner', 'Owner name.'),
  feed_type_id_desc: additional('text', 'f.feed_type_id_desc', 'Feed type description.'),
  ext_link_info: additional('json', 'f.ext_link_info', 'External link data.'),
  dept_id: additional('integer', 'f.dept_id', 'Department.'),
  end_date_utc: additional('utc', 'f.end_at', 'End, UTC.'),
  display_start_date: additional('wall', 'f.start_at', 'Start for display.'),
  last_action_time_in_millis: additional(
    'millis',
    'f.last_action_at',
    'Last action, epoch milliseconds.',
  ),
  profile_id: additional('integer', 'f.profile_id', 'Profile.'),
  display_date: additional('wall', 'coalesce(f.start_at, f.launch_at)', 'Date for display.'),
  has_predecessor: additional('boolean', 'f.has_predecessor', 'Depends on another feed.'),
  show_acknowledge: additional('boolean', 'f.show_acknowledge', 'Offer "acknowledge".'),
  last_updated_time_in_millis: additional(
    'millis',
    'f.last_updated_at',
    'Same instant as `last_updated_time`.',
  ),
  event_date: additional('wall', 'f.event_at', 'Event start.'),
  additional_attributes: additional('json', 'f.additional_attributes', 'Further attributes.'),
  show_claim: additional('boolean', 'f.show_claim', 'Offer "claim".'),
  promote_to_note_flag: additional(
    'flag',
    's.promoted_to_note',
    'Promoted to a note by the session user.',
  ),
  update_all_mul_asg_task_attr: additional(
    'boolean',
    'f.update_all_mul_asg_task_attr',
    'Attribute changes apply to all assignees.',
  ),
  flag: additional('flag', 's.flag', 'Flag of the session user.'),
  is_edited: additional('boolean', 'f.is_edited', 'Edited after launch.'),
  allow_future_quick_links: additional(
    'boolean',
    'f.allow_future_quick_links',
    'Quick links allowed before start.',
  ),
  thread_flag: additional('flag', 'f.thread_flag', 'Has a comment thread.'),
  acknowledge_flag: additional(
    'flag',
    's.acknowledged',
    'Same value as `acknowledged_flag` (D-81).',
  ),
  txn_dtm: additional('wall', 'f.txn_at', 'Transaction time.'),
  lock_status: additional('text', 'f.lock_status', 'Lock state.'),
  start_date_utc: additional('utc', 'f.start_at', 'Start, UTC.'),
  unit_id: additional('integer', 'f.unit_id', 'Unit (store).'),
  last_action_time: additional('millis', 'f.last_action_at', 'Last action.'),
  action_taken_flag: additional('flag', 's.action_taken', 'The session user has acted.'),
  time_to_act: additional(
    'remaining',
    'f.end_at',
    'Milliseconds until the end; negative when overdue.',
  ),
  feed_description: additional('text', 'f.description', 'Description.'),
  feed_params: additional('json', 'f.feed_params', 'Parameters.'),
  event_end_date: additional('wall', 'f.event_end_at', 'Event end.'),
  watch_flag: additional('flag', 's.watched', 'Watched by the session user.'),
  follow: additional('flag', 's.follow', 'Followed by the session user.'),
  user_id: additional('integer', ':user::int', 'User the row was built for.'),
  feed_task_count: additional('integer', 'f.feed_task_count', 'Tasks including closed ones.'),
  display_end_date: additional('wall', 'f.end_at', 'End for display.'),
} satisfies Record<string, FeedField>;

/** Documented name of a feed field, as in `projections`. */
export type FeedFieldName = keyof typeof feedFields;

const names = new Set<string>(Object.keys(feedFields));

export function isFeedFieldName(name: string): name is FeedFieldName {
  return names.has(name);
}

/** All 74 names in document order. */
export const feedFieldNames: readonly FeedFieldName[] =
  Object.keys(feedFields).filter(isFeedFieldName);

/** The 36 fields of a reply without `projections` (F165). */
export const defaultFeedFields: readonly FeedFieldName[] = feedFieldNames.filter(
  (name) => feedFields[name].isDefault === true,
);

/** GraphQL name of a documented field: its camelCase (F002). */
export function graphqlName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
