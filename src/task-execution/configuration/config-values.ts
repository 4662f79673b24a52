import * as z from 'zod';
import { filledText, jsonObjectField, text } from '../../core/records/record-fields.ts';

const count = z.int().min(0).max(2_147_483_647);
/** A number that the API document types as a string. */
const digits = text(10).regex(/^\d+$/, 'expected a number as text, e.g. "20"');
const yesNo = z.enum(['Y', 'N']);
const label = text(200);
const css = text(2000);
const layout = z.enum(['M', 'W', 'D', 'P']);
const view = z.enum(['MV', 'DV', 'SV']);
const priority = z
  .strictObject({
    priority_desc: label,
    color: label,
    img: label.optional(),
    img_path: label.optional(),
  })
  .refine(
    (value) => value.img !== undefined || value.img_path !== undefined,
    'needs img or img_path',
  );

const values = {
  default_calendar_view: text(20),
  gantt_date_span: digits,
  calendar_setup: z
    .array(
      z.strictObject({
        key: label,
        value: label,
        on_click: label,
        view: label,
        default: z.strictObject({ layout, view }),
      }),
    )
    .max(50),
  show_all_days: yesNo.nullable(),
  feed_status_data: z.strictObject(
    Object.fromEntries(
      [...'prcefno'].map((code) => [code, z.strictObject({ display_text: label })]),
    ),
  ),
  feed_date_span: digits,
  sort_order: z
    .array(
      z.strictObject({
        key: label,
        description: label,
        type: z.enum(['numeric', 'character', 'miscellaneous']),
        value: z.enum(['A', 'D']),
      }),
    )
    .max(20),
  priority_data: z.record(text(6).regex(/^\d+$/), priority),
  overdue_date_span: z.int().min(0).max(3650),
  allow_bulk_action: yesNo,
  no_records: digits,
  proj_status_css: z.record(text(10), css),
  fyi_config: z.array(jsonObjectField).max(100),
  feed_uiconfig: z.strictObject({
    show_efforts: z.boolean(),
    msg_content_expanded: z.boolean(),
    show_inactive_tasks: z.boolean(),
    due_by_css: css,
    display_date: z.boolean(),
    show_due_by: z.boolean(),
    display_day_start_time: text(8),
  }),
  project_type_data: z.record(text(200), label),
  message_type_data: z.record(text(200), label),
  max_upload_size: count,
  allowed_attachments: text(1000).regex(
    /^[A-Za-z0-9]+(,[A-Za-z0-9]+)*$/,
    'expected comma-separated file extensions',
  ),
  comment_max_attach_count: count,
  button_max_attach_count: count,
  sm_filter: jsonObjectField,
  feed_refresh_rate: count,
  msg_refresh_rate: count,
  max_filter_name_characters: digits,
  filter_date_range: count,
  max_feed_notes_characters: digits,
  list_task_limit: count,
  feed_config_details: z
    .array(
      z.strictObject({
        component_id: filledText(200),
        new_image: label.nullable(),
        css_content: css.nullable(),
        actual_image: label.nullable(),
        show_flag: yesNo,
      }),
    )
    .max(200),
  /** Not sent to clients: the longest allowed time between two list-latest calls, in milliseconds (D-40). */
  max_refresh_interval: count,
};

/** The 28 documented configuration fields with the types of their values, and one of our own. */
export const configValues: Readonly<Record<string, z.ZodType>> = values;

/** Most characters of a value as JSON: what applies to a user is read as a whole, and kept. */
const MOST_CHARACTERS = 100_000;

/** Why a field can't have this value; empty if it can. */
export function configFaults(
  key: string,
  value: unknown,
): readonly Pick<z.core.$ZodIssue, 'path' | 'message' | 'code'>[] {
  const { error } = configValues[key]?.safeParse(value) ?? {};
  if (error) return error.issues;
  return JSON.stringify(value).length > MOST_CHARACTERS
    ? [
        {
          path: [],
          message: `has more than ${MOST_CHARACTERS} characters as JSON`,
          code: 'too_big',
        },
      ]
    : [];
}

/** The fields as one object in which every one is optional. Unknown fields are dropped. */
export const configSchema = z.object(values).partial();

/** Configured values by documented name, with their types. */
export type ConfigValues = z.infer<typeof configSchema>;

/** One item of a list value. */
export type ConfigItem<Key extends keyof ConfigValues> =
  NonNullable<ConfigValues[Key]> extends readonly (infer T)[] ? T : never;
