import { additional, renamed, type FeedField } from './feed-field.ts';

/** The 38 fields that are returned only when `projections` names them, in document order. */
export const additionalFields = {
  transaction_key: additional(
    'bigInteger',
    'f.transaction_key',
    'Number of the transaction that it came from; null if there is none.',
  ),
  feed_owner: additional('text', 'f.feed_owner', 'Name of the owner; null if there is none.'),
  feed_type_id_desc: additional(
    'text',
    'f.feed_type_id_desc',
    'Name of the type of the feed; null if it has none.',
  ),
  ext_link_info: additional(
    'json',
    'f.ext_link_info',
    'Data of links to other systems; null if there are none.',
  ),
  dept_id: additional('integer', 'f.dept_id', 'Number of its department; null if it has none.'),
  end_date_utc: renamed(
    'endsAt',
    additional('utc', 'f.end_at', 'End, in UTC; null if it has none.'),
  ),
  display_start_date: additional(
    'wall',
    'f.start_at',
    "Start to show, as wall time in the session's time zone; null if it has none.",
  ),
  last_action_time_in_millis: renamed(
    'lastActionTime',
    additional(
      'millis',
      'f.last_action_at',
      'Time of the last action on it, in epoch milliseconds; null if there was none.',
    ),
  ),
  profile_id: additional(
    'integer',
    'f.profile_id',
    'Number of the profile (role) that it is meant for; null if it has none.',
  ),
  display_date: additional(
    'wall',
    'coalesce(f.start_at, f.launch_at)',
    "Start, or else the launch, as wall time in the session's time zone; null if it has neither.",
  ),
  has_predecessor: additional(
    'boolean',
    'f.has_predecessor',
    'Whether another feed has to be done first.',
  ),
  show_acknowledge: additional('boolean', 'f.show_acknowledge', 'Whether to offer "acknowledge".'),
  last_updated_time_in_millis: renamed(
    'lastUpdatedTime',
    additional('millis', 'f.last_updated_at', 'Time of the last change, in epoch milliseconds.'),
  ),
  event_date: additional(
    'wall',
    'f.event_at',
    "Start of the event that it is about, as wall time in the session's time zone; null if there is none.",
  ),
  additional_attributes: additional(
    'json',
    'f.additional_attributes',
    'Further attributes by name; null if there are none.',
  ),
  show_claim: additional('boolean', 'f.show_claim', 'Whether to offer "claim".'),
  promote_to_note_flag: renamed(
    'promotedToNote',
    additional('flag', 's.promoted_to_note', 'Whether you promoted it to a calendar note.'),
  ),
  update_all_mul_asg_task_attr: additional(
    'boolean',
    'f.update_all_mul_asg_task_attr',
    'Whether a change of its attributes applies to all of its assignees.',
  ),
  flag: additional('flag', 's.flag', 'Whether you flagged it.'),
  is_edited: additional('boolean', 'f.is_edited', 'Whether it was edited after its launch.'),
  allow_future_quick_links: additional(
    'boolean',
    'f.allow_future_quick_links',
    'Whether its quick links may be used before it starts.',
  ),
  thread_flag: additional('flag', 'f.thread_flag', 'Whether it has a thread of comments.'),
  acknowledge_flag: renamed(
    'acknowledged',
    additional('flag', 's.acknowledged', 'Whether you acknowledged it.'),
  ),
  txn_dtm: additional(
    'wall',
    'f.txn_at',
    "Time of the transaction that it came from, as wall time in the session's time zone; null if there is none.",
  ),
  lock_status: additional(
    'text',
    'f.lock_status',
    'State of its lock, as text; null if it has none.',
  ),
  start_date_utc: renamed(
    'startsAt',
    additional('utc', 'f.start_at', 'Start, in UTC; null if it has none.'),
  ),
  unit_id: additional('integer', 'f.unit_id', 'Number of its unit (store); null if it has none.'),
  last_action_time: additional(
    'millis',
    'f.last_action_at',
    'Time of the last action on it, in epoch milliseconds; null if there was none.',
  ),
  action_taken_flag: additional('flag', 's.action_taken', 'Whether you have acted on it.'),
  time_to_act: additional(
    'remaining',
    'f.end_at',
    'Milliseconds until its end, negative after it; null if it has no end.',
  ),
  feed_description: additional(
    'text',
    'f.description',
    'Description, as plain text; null if it has none.',
  ),
  feed_params: additional('json', 'f.feed_params', 'Parameters by name; null if there are none.'),
  event_end_date: additional(
    'wall',
    'f.event_end_at',
    "End of the event that it is about, as wall time in the session's time zone; null if there is none.",
  ),
  watch_flag: renamed('watched', additional('flag', 's.watched', 'Whether you watch it.')),
  follow: additional('flag', 's.follow', 'Whether you follow it.'),
  user_id: additional('integer', ':user::int', 'Number of the user who is signed in.'),
  feed_task_count: additional(
    'integer',
    'f.feed_task_count',
    'Number of the feeds of kind TASK directly below it, closed ones and those that you may not see included.',
  ),
  display_end_date: additional(
    'wall',
    'f.end_at',
    "End to show, as wall time in the session's time zone; null if it has none.",
  ),
} satisfies Record<string, FeedField>;
