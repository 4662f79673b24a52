import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feedColumns } from '../../../src/task-execution/feeds/fields/feed-columns.sql.ts';
import {
  defaultFeedFields,
  feedFieldNames,
} from '../../../src/task-execution/feeds/fields/feed-fields.ts';
import { NOON, startApp, type TestApp } from '../../support/app.ts';
import { feed, organisation } from '../../support/records.ts';

let app: TestApp;
let ana: string;
let bare: Record<string, any>;
let full: Record<string, any>;
const on = {
  pin: 1,
  favorite_flag: 1,
  follow: 1,
  acknowledged_flag: 1,
  watch_flag: 1,
  promote_to_note_flag: 1,
  flag: 1,
  has_action: 1,
  action_taken_flag: 1,
  has_user_notes: 1,
};

beforeAll(async () => {
  app = await startApp();
  await app.load([
    ...organisation,
    feed(1, { create_dtm: '2026-11-01T00:00:00Z', last_updated_time: NOON - 5 }),
    feed(2, {
      kind: 'PROJECT',
      feed_title: 'Ü "quoted" 100% \\ </script> 😀',
      message_type: 'MSG',
      status: 'P',
      priority: 2,
      feed_type: 'Type',
      feed_type_id: 'T1',
      feed_type_id_desc: 'Type one',
      cluster_id: 'c',
      cluster_child_id: 'cc',
      start_date_time: '2026-11-20T12:00:01.250Z',
      end_date_time: '2026-11-21T22:30:00Z',
      display_launch_date: '2026-11-19T00:00:00Z',
      create_dtm: '2026-01-02T03:04:05Z',
      last_updated_time: NOON - 1,
      title_css: 'color:red',
      panel_config: { a: [1, { b: null }] },
      assign_to_desc: 'Ana',
      show_why_url: 'https://example.com/why?a=1&b=2',
      show_how_url: 'https://example.com/how',
      transaction_key: 9_007_199_254_740_991,
      feed_owner: 'Ana',
      ext_link_info: { url: 'x' },
      unit: 'Berlin',
      dept: 'Bakery',
      profile: 'Clerk',
      last_action_time: NOON - 7,
      event_date: '2026-11-22T00:00:00Z',
      event_end_date: '2026-11-23T00:00:00Z',
      additional_attributes: {},
      txn_dtm: '2026-07-01T00:00:00Z',
      lock_status: 'L',
      feed_description: 'Line\nbreak',
      feed_params: { deep: { deeper: true } },
      is_confidential: true,
      has_survey: true,
      has_comments: true,
      enable_comment: false,
      enable_action: false,
      has_history: true,
      has_actions: true,
      has_contents: true,
      has_key_attributes: true,
      has_predecessor: true,
      show_acknowledge: true,
      show_claim: true,
      update_all_mul_asg_task_attr: true,
      is_edited: true,
      allow_future_quick_links: true,
      thread_flag: 1,
      user_states: [{ user: 'ana', ...on }],
    }),
    feed(3, { kind: 'TASK', parent_feed_key: 2, end_date_time: '2026-11-01T00:00:00Z' }),
    feed(4, { kind: 'TASK', parent_feed_key: 2, status: 'C' }),
  ]);
  ana = await app.signedIn('ana');
  const { json } = await app.rest(`/task/v1/feeds/list?projections=${feedFieldNames.join()}`, ana);
  [full, bare] = json['feed_details'].sort((a: any, b: any) => b.feed_key - a.feed_key);
});
afterAll(() => app.close());

it('F163 F165 F166 there are 36 default and 38 additional fields', async () => {
  expect([defaultFeedFields.length, feedFieldNames.length]).toEqual([36, 74]);
  const { json } = await app.rest('/task/v1/feeds/list', ana);
  expect(Object.keys(json['feed_details'][0])).toEqual(defaultFeedFields);
  expect(Object.keys(full)).toEqual(feedFieldNames);
});

it('F167 F168 D-14 D-22 every field of a full row has its documented type and value, in the zone of the session', () => {
  expect(full).toEqual({
    feed_key: 2,
    feed_title: 'Ü "quoted" 100% \\ </script> 😀',
    message_type: 'MSG',
    status: 'P',
    priority: 2,
    feed_type: 'Type',
    feed_type_id: 'T1',
    cluster_id: 'c',
    cluster_child_id: 'cc',
    start_date_time: '2026-11-20 13:00:01',
    end_date_time: '2026-11-21 23:30:00',
    display_launch_date: '2026-11-19 01:00:00',
    create_dtm: '2026-01-02 04:04:05',
    last_updated_time: NOON - 1,
    task_count: 1,
    overdue_task_count: 1,
    pin: 1,
    favorite_flag: 1,
    acknowledged_flag: 1,
    is_confidential: true,
    has_survey: true,
    title_css: 'color:red',
    panel_config: { a: [1, { b: null }] },
    assign_to_desc: 'Ana',
    has_comments: true,
    enable_comment: false,
    future_feed: true,
    show_why_url: 'https://example.com/why?a=1&b=2',
    has_action: true,
    enable_action: false,
    show_how_url: 'https://example.com/how',
    has_history: true,
    has_user_notes: true,
    has_actions: true,
    has_contents: true,
    has_key_attributes: true,
    transaction_key: 9_007_199_254_740_991,
    feed_owner: 'Ana',
    feed_type_id_desc: 'Type one',
    ext_link_info: { url: 'x' },
    dept_id: expect.any(Number),
    end_date_utc: '2026-11-21 22:30:00',
    display_start_date: '2026-11-20 13:00:01',
    last_action_time_in_millis: NOON - 7,
    profile_id: expect.any(Number),
    display_date: '2026-11-20 13:00:01',
    has_predecessor: true,
    show_acknowledge: true,
    last_updated_time_in_millis: NOON - 1,
    event_date: '2026-11-22 01:00:00',
    additional_attributes: {},
    show_claim: true,
    promote_to_note_flag: 1,
    update_all_mul_asg_task_attr: true,
    flag: 1,
    is_edited: true,
    allow_future_quick_links: true,
    thread_flag: 1,
    acknowledge_flag: 1,
    txn_dtm: '2026-07-01 02:00:00',
    lock_status: 'L',
    start_date_utc: '2026-11-20 12:00:01',
    unit_id: expect.any(Number),
    last_action_time: NOON - 7,
    action_taken_flag: 1,
    time_to_act: Date.UTC(2026, 10, 21, 22, 30) - NOON,
    feed_description: 'Line\nbreak',
    feed_params: { deep: { deeper: true } },
    event_end_date: '2026-11-23 01:00:00',
    watch_flag: 1,
    follow: 1,
    user_id: expect.any(Number),
    feed_task_count: 2,
    display_end_date: '2026-11-21 23:30:00',
  });
});

it('D-13 a row without values has null for them, and off for flags', () => {
  for (const name of feedFieldNames) {
    const { type } = feedColumns[name];
    if (type === 'boolean' || type === 'future')
      expect(bare[name], name).toBe(name === 'enable_comment' || name === 'enable_action');
    else if (type === 'flag') expect(bare[name], name).toBe(0);
    else if (
      [
        'feed_title',
        'feed_key',
        'status',
        'create_dtm',
        'feed_owner',
        'user_id',
        'task_count',
        'overdue_task_count',
        'feed_task_count',
        'last_updated_time',
        'last_updated_time_in_millis',
      ].includes(name)
    )
      expect(bare[name], name).not.toBeUndefined();
    else expect(bare[name], name).toBeNull();
  }
});

describe('F116 projections', () => {
  it('each of the 74 fields alone comes with feed_key', async () => {
    for (const name of feedFieldNames) {
      const { json } = await app.rest(
        `/task/v1/feeds/list?feed_title=quoted&projections=${name}`,
        ana,
      );
      expect(json['feed_details']).toEqual([{ feed_key: 2, [name]: full[name] }]);
    }
  });

  it('document order, no doubles, trimmed; unknown names are ignored and named; only unknown names leave feed_key', async () => {
    const mix = await app.rest(
      '/task/v1/feeds/list?feed_title=quoted&projections=status, feed_title,status,Nope,FEED_OWNER',
      ana,
    );
    expect(mix.text).toContain(
      '[{"feed_key":2,"feed_title":"Ü \\"quoted\\" 100% \\\\ </script> 😀","status":"P"}]',
    );
    expect(mix.headers.get('x-ignored-projections')).toBe('Nope, FEED_OWNER');
    const none = await app.rest('/task/v1/feeds/list?feed_title=quoted&projections=nope', ana);
    expect(none.json['feed_details']).toEqual([{ feed_key: 2 }]);
    const odd = await app.rest('/task/v1/feeds/list?feed_title=quoted&projections=n%C3%B6', ana);
    expect(odd.json['feed_details']).toEqual([{ feed_key: 2 }]);
    expect(odd.headers.has('x-ignored-projections')).toBe(false);
    expect(odd.headers.get('x-ignored-parameters')).toBe('projections');
    const empty = await app.rest('/task/v1/feeds/list?feed_title=quoted&projections=', ana);
    expect(Object.keys(empty.json['feed_details'][0])).toEqual(defaultFeedFields);
  });
});

it('F002 F086 GraphQL shows every field under its camelCase name, with the value that REST shows', async () => {
  const camel = (name: string): string =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const statuses: Record<string, string> = { P: 'IN_PROGRESS', N: 'NEW' };
  const { data, errors } = await app.gql(
    `{ viewer { feeds { nodes { ${feedFieldNames.map(camel).join(' ')} } } } }`,
    {},
    ana,
  );
  expect(errors).toBeUndefined();
  const rest = (await app.rest(`/task/v1/feeds/list?projections=${feedFieldNames.join()}`, ana))
    .json['feed_details'];
  const translated = rest.map((row: Record<string, any>) =>
    Object.fromEntries(
      feedFieldNames.map((name) => {
        const value = row[name];
        const { type } = feedColumns[name];
        if (value === null) return [camel(name), null];
        if (type === 'flag') return [camel(name), value === 1];
        if (type === 'status') return [camel(name), statuses[value]];
        if (type === 'wall') return [camel(name), value.replace(' ', 'T')];
        if (type === 'utc') return [camel(name), expect.stringContaining(value.replace(' ', 'T'))];
        return [camel(name), value];
      }),
    ),
  );
  expect(data.viewer.feeds.nodes).toEqual(translated);
});
