import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importJsonSchema } from '../../src/import/import-json-schema.ts';
import { parseRecord } from '../../src/import/parse-record.ts';

const docs = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

test('docs/import-format.schema.json is current', () => {
  expect(docs('import-format.schema.json')).toBe(
    `${JSON.stringify(importJsonSchema(), null, 2)}\n`,
  );
});

test('the example of docs/import-format.md is valid', () => {
  const example = /```json\n([\s\S]*?)```/.exec(docs('import-format.md'))?.[1] ?? '';
  const lines = example.trim().split('\n');
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(parseRecord(line)).toHaveProperty('value');
});

test('every documented feed field is a field of the record', () => {
  const fields =
    'feed_key feed_title message_type status priority feed_type feed_type_id cluster_id cluster_child_id start_date_time end_date_time display_launch_date create_dtm last_updated_time task_count overdue_task_count pin favorite_flag acknowledged_flag is_confidential has_survey title_css panel_config assign_to_desc has_comments enable_comment future_feed show_why_url has_action enable_action show_how_url has_history has_user_notes has_actions has_contents has_key_attributes transaction_key feed_owner feed_type_id_desc ext_link_info dept_id end_date_utc display_start_date last_action_time_in_millis profile_id display_date has_predecessor show_acknowledge last_updated_time_in_millis event_date additional_attributes show_claim promote_to_note_flag update_all_mul_asg_task_attr flag is_edited allow_future_quick_links thread_flag acknowledge_flag txn_dtm lock_status start_date_utc unit_id last_action_time action_taken_flag time_to_act feed_description feed_params event_end_date watch_flag follow user_id feed_task_count display_end_date'.split(
      ' ',
    );
  expect(fields).toHaveLength(74);
  const known = JSON.parse(docs('import-format.schema.json')) as {
    $defs: { feed: { properties: object } };
  };
  expect(Object.keys(known.$defs.feed.properties)).toEqual(expect.arrayContaining(fields));
});
