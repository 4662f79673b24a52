import { int8 } from '../../../core/sql/types.ts';
import { renamed, shown, type FeedField } from './feed-field.ts';

/**
 * The status that clients see: `O` when an open feed ended more than the configured days ago (D-50), that is, before
 * `:overdueBefore`.
 */
const effectiveStatusSql = (feed: 'f' | 't'): string =>
  `CASE WHEN ${feed}.status IN ('N', 'R', 'P') AND ${feed}.end_at < :overdueBefore::timestamptz THEN 'O' ELSE ${feed}.status END`;

const OVERDUE_TASKS = `CASE WHEN f.task_count > 0 THEN (SELECT count(*) FROM feed t WHERE t.parent_feed_key = f.feed_key AND t.kind = 'TASK'
  AND t.deleted_at IS NULL AND ${effectiveStatusSql('t')} = 'O') ELSE 0 END`;
const EFFECTIVE_STATUS = effectiveStatusSql('f');

/** The 36 fields of a reply without `projections` (F165), in document order. */
export const defaultFields = {
  feed_key: shown('bigInteger', 'f.feed_key', 'Number that identifies the feed; always returned.'),
  feed_title: shown('text', 'f.title', 'Title, as plain text.'),
  message_type: shown(
    'text',
    'f.message_type',
    'Key of the message type, which `message_type_data` of the configuration describes; null if it has none.',
  ),
  status: shown('status', EFFECTIVE_STATUS, 'Status, with overdue computed when it is read.'),
  priority: shown(
    'integer',
    'f.priority',
    'Number of the priority, which `priority_data` of the configuration describes; 1 is the most urgent; null if it has none.',
  ),
  feed_type: shown('text', 'f.feed_type', 'Type of the feed, as text; null if it has none.'),
  feed_type_id: shown('text', 'f.feed_type_id', 'Id of the type of the feed; null if it has none.'),
  cluster_id: shown(
    'text',
    'f.cluster_id',
    'Id of the cluster of feeds that it belongs to; null if it belongs to none.',
  ),
  cluster_child_id: shown(
    'text',
    'f.cluster_child_id',
    'Id inside its cluster; null outside a cluster.',
  ),
  start_date_time: shown(
    'wall',
    'f.start_at',
    "Start, as wall time in the session's time zone; null if it has none.",
  ),
  end_date_time: shown(
    'wall',
    'f.end_at',
    "End, as wall time in the session's time zone; null if it has none.",
  ),
  display_launch_date: shown(
    'wall',
    'f.launch_at',
    "Launch to show, as wall time in the session's time zone; null if it has none.",
  ),
  create_dtm: shown(
    'wall',
    'f.created_at',
    "Time of creation, as wall time in the session's time zone.",
  ),
  last_updated_time: shown(
    'millis',
    'f.last_updated_at',
    'Time of the last change, in epoch milliseconds.',
  ),
  task_count: shown('integer', 'f.task_count', 'Number of open tasks below it.'),
  overdue_task_count: {
    ...shown('integer', OVERDUE_TASKS, 'Number of overdue tasks below it.'),
    stored: int8,
  },
  pin: renamed('pinned', shown('flag', 's.pinned', 'Whether you pinned it.')),
  favorite_flag: renamed(
    'favorite',
    shown('flag', 's.favorite', 'Whether it is one of your favourites.'),
  ),
  acknowledged_flag: renamed(
    'acknowledged',
    shown('flag', 's.acknowledged', 'Whether you acknowledged it.'),
  ),
  is_confidential: shown(
    'boolean',
    'f.is_confidential',
    'Whether only users whose home department is that of the feed may see it.',
  ),
  has_survey: shown('boolean', 'f.has_survey', 'Whether a survey is attached.'),
  title_css: shown(
    'text',
    'f.title_css',
    'CSS declarations for the title; null for the usual style.',
  ),
  panel_config: shown(
    'json',
    'f.panel_config',
    'How its panel is shown, as configured; null if nothing is configured.',
  ),
  assign_to_desc: shown(
    'text',
    'f.assign_to_desc',
    'Who it is assigned to, as text for display; null if not known.',
  ),
  has_comments: shown('boolean', 'f.has_comments', 'Whether it has comments.'),
  enable_comment: shown('boolean', 'f.enable_comment', 'Whether comments are allowed.'),
  future_feed: shown('future', 'f.start_at', 'Whether it starts in the future.'),
  show_why_url: shown(
    'url',
    'f.show_why_url',
    'URL that explains why it is to be done; null if there is none.',
  ),
  has_action: shown('boolean', 's.has_action', 'Whether an action of yours is open.'),
  enable_action: shown('boolean', 'f.enable_action', 'Whether actions are allowed.'),
  show_how_url: shown(
    'url',
    'f.show_how_url',
    'URL that explains how it is to be done; null if there is none.',
  ),
  has_history: shown('boolean', 'f.has_history', 'Whether it has a history of changes.'),
  has_user_notes: shown('boolean', 's.has_notes', 'Whether you have notes on it.'),
  has_actions: shown('boolean', 'f.has_actions', 'Whether anybody has actions on it.'),
  has_contents: shown('boolean', 'f.has_contents', 'Whether it has contents.'),
  has_key_attributes: shown('boolean', 'f.has_key_attributes', 'Whether it has key attributes.'),
} satisfies Record<string, FeedField>;
