import { messageTypes, projectTypes } from './vocabulary.ts';

const priorities = [
  ['1', 'Critical', '#b42318'],
  ['2', 'High', '#d97706'],
  ['3', 'Medium', '#2563eb'],
  ['4', 'Low', '#4b5563'],
  ['5', 'Informational', '#9ca3af'],
] as const;

/** Every documented configuration field, at the system scope. */
const system = {
  default_calendar_view: 'M',
  gantt_date_span: '42',
  calendar_setup: [
    {
      key: 'CALENDAR',
      value: 'My calendar',
      on_click: 'openCalendar',
      view: 'MV',
      default: { layout: 'M', view: 'MV' },
    },
    {
      key: 'STORE_PROJECTS',
      value: 'Store projects',
      on_click: 'openStoreProjects',
      view: 'SV',
      default: { layout: 'W', view: 'SV' },
    },
    {
      key: 'STORE_SUGGESTED_DATE_PROJECTS',
      value: 'Suggested dates',
      on_click: 'openSuggestedDates',
      view: 'SV',
      default: { layout: 'M', view: 'SV' },
    },
    {
      key: 'STORE_WALK_CAL',
      value: 'Store walks',
      on_click: 'openWalks',
      view: 'SV',
      default: { layout: 'D', view: 'SV' },
    },
  ],
  show_all_days: 'Y',
  feed_status_data: {
    n: { display_text: 'New' },
    r: { display_text: 'Reviewed' },
    p: { display_text: 'In progress' },
    o: { display_text: 'Overdue' },
    c: { display_text: 'Completed' },
    f: { display_text: 'Force-closed' },
    e: { display_text: 'Expired' },
  },
  feed_date_span: '14',
  sort_order: [
    { key: 'endDateTime', description: 'Due date', type: 'miscellaneous', value: 'A' },
    { key: 'priority', description: 'Priority', type: 'numeric', value: 'A' },
  ],
  priority_data: Object.fromEntries(
    priorities.map(([key, name, color]) => [
      key,
      { priority_desc: name, color, img_path: `/img/priority-${key}.svg` },
    ]),
  ),
  overdue_date_span: 0,
  allow_bulk_action: 'Y',
  no_records: '20',
  proj_status_css: {
    N: 'color:#1d4ed8',
    R: 'color:#6d28d9',
    P: 'color:#047857',
    O: 'color:#b42318;font-weight:600',
    C: 'color:#4b5563',
    F: 'color:#4b5563',
    E: 'color:#9ca3af',
  },
  fyi_config: [{ selector: '.fyi', css: 'border-left:4px solid #2563eb' }],
  feed_uiconfig: {
    show_efforts: true,
    msg_content_expanded: false,
    show_inactive_tasks: false,
    due_by_css: 'color:#b42318',
    display_date: true,
    show_due_by: true,
    display_day_start_time: '06:00:00',
  },
  project_type_data: Object.fromEntries(projectTypes.map(([id, name]) => [id, name])),
  message_type_data: Object.fromEntries(messageTypes.map(([id, name]) => [id, name])),
  max_upload_size: 10_485_760,
  allowed_attachments: 'jpg,jpeg,png,pdf,docx,xlsx,mp4',
  comment_max_attach_count: 5,
  button_max_attach_count: 3,
  sm_filter: {
    enabled: true,
    fields: ['feed_title', 'status', 'priority', 'tags'],
    operators: ['contains', 'equals', 'before', 'after'],
    max_conditions: 8,
  },
  feed_refresh_rate: 60_000,
  msg_refresh_rate: 30_000,
  max_filter_name_characters: '50',
  filter_date_range: 30,
  max_feed_notes_characters: '2000',
  list_task_limit: 50,
  feed_config_details: [
    {
      component_id: 'feed-header',
      new_image: '/img/header-new.svg',
      css_content: 'height:56px',
      actual_image: '/img/header.svg',
      show_flag: 'Y',
    },
    {
      component_id: 'feed-footer',
      new_image: null,
      css_content: null,
      actual_image: null,
      show_flag: 'N',
    },
  ],
};

/** Configuration at four scopes; the most specific one replaces the whole value. */
export function* configurationRecords(): Generator<object> {
  for (const [key, value] of Object.entries(system))
    yield { record: 'config', scope: 'SYSTEM', key, value };
  const demo = { record: 'config', domain: 'demo' };
  yield { ...demo, scope: 'DOMAIN', key: 'feed_date_span', value: '30' };
  yield { ...demo, scope: 'DOMAIN', key: 'max_upload_size', value: 26_214_400 };
  yield { ...demo, scope: 'PROFILE', profile: 'Leader', key: 'gantt_date_span', value: '90' };
  yield {
    ...demo,
    scope: 'UNIT',
    unit: 'Brooklyn Heights',
    key: 'default_calendar_view',
    value: 'W',
  };
  yield { ...demo, scope: 'UNIT', unit: 'Auckland Central', key: 'overdue_date_span', value: 2 };
  yield { ...demo, scope: 'DEPT', dept: 'Checkout', key: 'allow_bulk_action', value: 'N' };
  yield { ...demo, scope: 'USER', user: 'supervisor', key: 'no_records', value: '50' };
}

/** System filters, named by `filter_id` in requests. */
export function* filterRecords(): Generator<object> {
  const filter = { record: 'filter', domain: 'demo' };
  const byEnd = [{ field: 'END_DATE_TIME', direction: 'ASC' }];
  yield {
    ...filter,
    filter_id: 'urgent',
    name: 'Urgent and open',
    criteria: { statuses: ['NEW', 'REVIEWED', 'IN_PROGRESS', 'OVERDUE'], priorities: [1, 2] },
    sort: byEnd,
  };
  yield {
    ...filter,
    filter_id: 'overdue',
    name: 'Overdue',
    layout: 'W',
    criteria: { statuses: ['OVERDUE'] },
    sort: [{ field: 'PRIORITY', direction: 'ASC' }, ...byEnd],
  };
  yield {
    ...filter,
    filter_id: 'my-tasks',
    name: 'My tasks',
    layout: 'D',
    criteria: { view: 'MY_VIEW', taskView: 'TASK_VIEW' },
    sort: byEnd,
  };
  yield {
    ...filter,
    filter_id: 'store-promotions',
    name: 'Promotions of the store',
    criteria: { view: 'STORE_VIEW', feedTypeIds: ['PROMO'] },
    sort: byEnd,
  };
  yield {
    ...filter,
    filter_id: 'gantt',
    name: 'Open work as Gantt',
    layout: 'W',
    calendar_type: 'GANTT',
    criteria: { statuses: ['NEW', 'REVIEWED', 'IN_PROGRESS', 'OVERDUE'] },
    sort: [{ field: 'START_DATE_TIME', direction: 'ASC' }],
  };
  yield {
    ...filter,
    filter_id: 'pinboard',
    name: 'Pinboard',
    layout: 'P',
    criteria: { pinned: true },
    sort: [{ field: 'FEED_TITLE', direction: 'ASC' }],
  };
  yield {
    ...filter,
    filter_id: 'recalls',
    name: 'Product recalls',
    criteria: { messageTypes: ['RCL'], acknowledged: false },
    sort: [],
  };
  yield {
    record: 'filter',
    domain: 'other',
    filter_id: 'all',
    name: 'Everything',
    criteria: {},
    sort: byEnd,
  };
}
