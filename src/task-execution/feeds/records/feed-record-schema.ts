import * as z from 'zod';
import {
  filledText,
  flagField,
  jsonObjectField,
  loginField,
  nameField,
  text,
  timeZoneField,
} from '../../../core/records/record-fields.ts';
import { describeImpossibleDay, parseTime, timePattern } from '../../../core/records/parse-time.ts';

const time = z
  .string()
  .regex(
    timePattern,
    'expected 2026-03-29T10:00:00Z, an offset instead of Z, or wall time 2026-03-29 10:00:00',
  )
  .refine((value) => parseTime(value, 'UTC') !== undefined, {
    error: ({ input }) => describeImpossibleDay(input) ?? 'is no time between 1900 and 9998',
  })
  .nullish();
const instant = z
  .int()
  .min(0)
  .max(253_370_764_799_000)
  .nullish()
  .meta({ description: 'Epoch milliseconds.' });
const day = z
  .string()
  .regex(/^\d{8}$/, 'expected yyyyMMdd')
  .refine(
    (value) =>
      parseTime(`${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)} 00:00:00`, 'UTC') !==
      undefined,
    { error: ({ input }) => describeImpossibleDay(input) ?? 'is no day between 1900 and 9998' },
  )
  .nullish();
const short = text(200).nullish();
const url = text(2000)
  .regex(/^https?:\/\/\S+$/, 'expected a http or https URL')
  .refine((value) => URL.canParse(value), 'is not a URL')
  .nullish();
const object = jsonObjectField.nullish();
const flag = z.boolean().optional();
const clusterPart = filledText(200)
  .refine((value) => value.trim() !== '-1', 'must not be -1')
  .nullish();
const ignored = z
  .unknown()
  .optional()
  .meta({ description: 'Computed; accepted and ignored, so that an export can be imported.' });

const assignment = z
  .strictObject({
    user: loginField.optional(),
    dept: nameField.optional(),
    unit: nameField.optional(),
    role: z.enum(['ASSIGNEE', 'EXECUTOR', 'REVIEWER']).optional(),
    assigned_role: short,
  })
  .refine(
    (value) =>
      [value.user, value.dept, value.unit].filter((name) => name !== undefined).length === 1,
    'needs exactly one of user, dept, unit',
  )
  .meta({ description: 'Exactly one of user, dept, unit.' });

const userFlag = flagField.optional();
const userState = z.strictObject({
  user: loginField,
  pin: userFlag,
  favorite_flag: userFlag,
  follow: userFlag,
  acknowledged_flag: userFlag,
  watch_flag: userFlag,
  promote_to_note_flag: userFlag,
  flag: userFlag,
  has_action: userFlag,
  action_taken_flag: userFlag,
  has_user_notes: userFlag,
});

/** New feeds get keys above the highest, and numbers above 2^53-1 are not exact: this leaves seven trillion. */
const HIGHEST_KEY = 9_000_000_000_000_000;

const scope = {
  record: z.literal('feed').optional(),
  feed_key: z.int().min(1).max(HIGHEST_KEY),
  domain: nameField,
  kind: z
    .enum(['PROJECT', 'TASK', 'MESSAGE', 'WALK'])
    .optional()
    .meta({ description: 'Required for a new feed.' }),
  parent_feed_key: z.int().min(1).nullish(),
  unit: nameField.nullish(),
  dept: nameField.nullish(),
  profile: nameField.nullish(),
  owner: loginField.nullish(),
  time_zone: timeZoneField
    .optional()
    .meta({ description: "Zone of this record's wall times; else its unit's zone, else UTC." }),
  assignments: z
    .array(assignment)
    .max(500)
    .optional()
    .meta({ description: 'Replaces who the feed is addressed to.' }),
  user_states: z
    .array(userState)
    .max(5000)
    .optional()
    .meta({ description: 'What these users did with the feed; other users stay as they are.' }),
  tags: z.array(filledText(200)).max(200).optional().meta({ description: 'Replaces the tags.' }),
  attributes: z
    .array(
      z.strictObject({ scope: z.enum(['COM', 'MSG']), name: filledText(200), value: text(400) }),
    )
    .max(200)
    .optional()
    .meta({ description: 'Replaces the attributes.' }),
  deleted: z.boolean().optional(),
  is_local: flag,
  is_active: flag,
  requestor_level: short,
  exec_level: short,
  org_level: short,
  sugg_start_date: day,
  sugg_end_date: day,
  has_attachment: flag,
};

const documented = {
  feed_title: filledText(2000).optional().meta({ description: 'Required for a new feed.' }),
  feed_description: text(100_000).nullish(),
  message_type: short,
  status: z.enum(['N', 'R', 'P', 'O', 'C', 'F', 'E']).optional(),
  priority: z.int().min(0).max(999_999).nullish(),
  feed_type: short,
  feed_type_id: short,
  feed_type_id_desc: short,
  cluster_id: clusterPart,
  cluster_child_id: clusterPart,
  start_date_time: time,
  end_date_time: time,
  start_date_utc: time.meta({ description: 'UTC; wins over start_date_time.' }),
  end_date_utc: time.meta({ description: 'UTC; wins over end_date_time.' }),
  display_launch_date: time,
  event_date: time,
  event_end_date: time,
  create_dtm: time,
  txn_dtm: time,
  last_updated_time: instant,
  last_action_time: instant,
  feed_owner: short,
  assign_to_desc: text(1000).nullish(),
  transaction_key: z.int().nullish(),
  lock_status: short,
  title_css: text(2000).nullish(),
  panel_config: object,
  ext_link_info: object,
  additional_attributes: object,
  feed_params: object,
  show_why_url: url,
  show_how_url: url,
  thread_flag: flagField.optional(),
  is_confidential: flag,
  has_survey: flag,
  has_comments: flag,
  enable_comment: flag,
  enable_action: flag,
  has_history: flag,
  has_actions: flag,
  has_contents: flag,
  has_key_attributes: flag,
  has_predecessor: flag,
  show_acknowledge: flag,
  show_claim: flag,
  update_all_mul_asg_task_attr: flag,
  is_edited: flag,
  allow_future_quick_links: flag,
};

/**
 * Documented fields that are not stored: counted, derived from others, or flags of the session user (see user_states).
 */
const computed = {
  task_count: ignored,
  overdue_task_count: ignored,
  feed_task_count: ignored,
  future_feed: ignored,
  time_to_act: ignored,
  display_start_date: ignored,
  display_end_date: ignored,
  display_date: ignored,
  last_updated_time_in_millis: ignored,
  last_action_time_in_millis: ignored,
  unit_id: ignored,
  dept_id: ignored,
  profile_id: ignored,
  user_id: ignored,
  pin: ignored,
  favorite_flag: ignored,
  acknowledged_flag: ignored,
  acknowledge_flag: ignored,
  promote_to_note_flag: ignored,
  flag: ignored,
  watch_flag: ignored,
  follow: ignored,
  has_action: ignored,
  action_taken_flag: ignored,
  has_user_notes: ignored,
};

/** Import record `feed`: the 74 documented fields of a feed, and its scope. */
export const feedRecordSchema = z.strictObject({ ...scope, ...documented, ...computed }).meta({
  description:
    'A work item, the record of a line without `record`. What is left out stays as it is (default for a new feed); null clears.',
});

export type FeedRecord = z.infer<typeof feedRecordSchema>;
