import { feed, organisation } from '../../support/records.ts';
import type { TestApp } from '../../support/app.ts';

/** A day of January 2027, as wall time in Berlin. */
export const at = (day: number, time = '10:00:00'): string =>
  `2027-01-${String(day).padStart(2, '0')} ${time}`;

const berlin = { time_zone: 'Europe/Berlin' };
const mine = { ...berlin, owner: 'ana' };

/** Ana's January: messages 1–9, a task 10 of project 30, projects 20–33, walks 40–43; what is bob's or eve's has keys from 50 on. */
export const january: readonly object[] = [
  ...organisation,
  { record: 'config', scope: 'SYSTEM', key: 'project_type_data', value: { PROMO: 'Promotion' } },
  feed(1, {
    ...mine,
    start_date_time: at(4),
    end_date_time: at(6),
    priority: 1,
    status: 'N',
    message_type: 'FYI',
    feed_type_id: 'A',
    tags: ['Fresh'],
    exec_level: '1',
    org_level: 'STORE',
    requestor_level: 'HQ',
    feed_title: 'Alpha 100%_off',
  }),
  feed(2, {
    ...mine,
    start_date_time: at(10),
    end_date_time: at(10, '12:00:00'),
    priority: 2,
    status: 'P',
    message_type: 'ALR',
    feed_type_id: 'B',
    unit: 'Berlin',
    user_states: [{ user: 'ana', favorite_flag: 1 }],
    feed_title: 'Beta',
  }),
  feed(3, {
    ...mine,
    start_date_time: at(15),
    priority: 3,
    status: 'C',
    message_type: 'FYI',
    feed_type_id: 'B',
    unit: 'Boston',
    user_states: [{ user: 'ana', pin: 1 }],
    feed_title: 'Gamma',
  }),
  feed(4, { ...mine, end_date_time: at(20), priority: 1, status: 'F', feed_title: 'Delta' }),
  feed(5, { ...mine, feed_title: 'Undated' }),
  feed(6, {
    ...mine,
    start_date_time: '2026-12-20 10:00:00',
    end_date_time: '2027-02-10 10:00:00',
    priority: 5,
    feed_title: 'Spans the month',
  }),
  feed(7, {
    ...mine,
    start_date_time: at(8),
    end_date_time: at(8),
    is_confidential: true,
    dept: 'Bakery',
    feed_title: 'Secret of the bakery',
  }),
  feed(8, {
    ...mine,
    start_date_time: at(8),
    end_date_time: at(8),
    is_confidential: true,
    dept: 'Logistics',
    feed_title: 'Secret of logistics',
  }),
  feed(9, {
    ...mine,
    start_date_time: '2026-11-01 10:00:00',
    end_date_time: '2026-11-02 10:00:00',
    feed_title: 'Past',
  }),
  feed(30, {
    ...mine,
    kind: 'PROJECT',
    start_date_time: at(5),
    end_date_time: at(12),
    unit: 'Berlin',
    priority: 2,
    feed_type_id: 'PROMO',
    feed_title: 'Window',
    panel_config: { icon: 'tag' },
    has_survey: true,
    has_attachment: true,
    is_edited: true,
    exec_level: '2',
    org_level: 'REGION',
    requestor_level: 'STORE',
    assignments: [
      { dept: 'Office', assigned_role: 'Clerk' },
      { user: 'ana', role: 'EXECUTOR', assigned_role: 'Lead' },
    ],
  }),
  feed(10, {
    ...mine,
    kind: 'TASK',
    parent_feed_key: 30,
    start_date_time: at(6),
    end_date_time: at(7),
    feed_title: 'Task',
  }),
  feed(31, {
    ...mine,
    kind: 'PROJECT',
    start_date_time: at(3),
    end_date_time: at(4),
    is_local: true,
    priority: 1,
    feed_type_id: 'RESET',
    feed_type_id_desc: 'Reset',
    status: 'C',
    feed_title: 'Aisle',
    panel_config: { icon: 5 },
    sugg_start_date: '20270125',
    sugg_end_date: '20270128',
  }),
  feed(32, {
    ...mine,
    kind: 'PROJECT',
    start_date_time: at(6),
    end_date_time: at(7),
    is_active: false,
    feed_title: 'Dormant',
    sugg_start_date: '20270120',
  }),
  feed(33, {
    ...mine,
    kind: 'PROJECT',
    start_date_time: '2026-11-01 10:00:00',
    end_date_time: '2026-11-03 10:00:00',
    feed_title: 'Overdue',
    sugg_end_date: '20270102',
  }),
  feed(40, {
    ...mine,
    kind: 'WALK',
    start_date_time: at(11),
    end_date_time: at(11, '11:00:00'),
    feed_type_id: 'WALK',
    feed_title: 'Walk',
    assignments: [{ unit: 'Berlin' }, { user: 'bob' }, { user: 'ana' }],
  }),
  feed(41, {
    ...mine,
    kind: 'WALK',
    start_date_time: at(9),
    end_date_time: at(9, '11:00:00'),
    feed_title: 'Early walk',
    assignments: [{ unit: 'Berlin' }],
  }),
  feed(50, {
    ...berlin,
    owner: 'bob',
    start_date_time: at(8),
    end_date_time: at(9),
    unit: 'Berlin',
    feed_title: "The store's",
  }),
  feed(51, {
    ...berlin,
    owner: 'bob',
    kind: 'PROJECT',
    start_date_time: at(8),
    end_date_time: at(9),
    unit: 'Berlin',
    feed_title: "The store's project",
  }),
  feed(52, {
    ...berlin,
    owner: 'bob',
    kind: 'WALK',
    start_date_time: at(8),
    end_date_time: at(9),
    unit: 'Berlin',
    feed_title: "The store's walk",
    assign_to_desc: 'Anyone',
  }),
  feed(53, {
    ...berlin,
    owner: 'bob',
    start_date_time: at(8),
    end_date_time: at(9),
    feed_title: "Bob's own",
  }),
  { ...feed(900), domain: 'rival', owner: 'eve', start_date_time: at(8), end_date_time: at(9) },
  {
    record: 'filter',
    domain: 'acme',
    filter_id: 'weekly',
    name: 'Weekly',
    layout: 'W',
    calendar_type: 'GANTT',
    criteria: { priorities: [1, 2] },
    sort: [{ field: 'FEED_TITLE', direction: 'DESC' }],
  },
  {
    record: 'filter',
    domain: 'acme',
    filter_id: 'pinned',
    name: 'Pinned',
    layout: 'P',
    criteria: {},
    sort: [],
  },
  {
    record: 'filter',
    domain: 'acme',
    filter_id: 'tasks',
    name: 'Tasks',
    layout: 'D',
    criteria: { taskView: 'TASK_VIEW' },
    sort: [],
  },
  {
    record: 'filter',
    domain: 'acme',
    filter_id: 'store',
    name: 'Store',
    criteria: { view: 'STORE_VIEW', cutOffTime: 4_000_000_000_000 },
    sort: [{ field: 'PROFILE_ID', direction: 'DESC' }],
  },
  {
    record: 'filter',
    domain: 'rival',
    filter_id: 'foreign',
    name: 'Foreign',
    layout: 'D',
    criteria: {},
    sort: [],
  },
];

export const MONTH = 'from_date=20270101&to_date=20270131';

/** Keys in the order of the answer; empty for "no data". */
export function keysOf(json: Record<string, any>): number[] {
  const data = json['calendar_data'];
  return (data?.feed_details ?? data?.project_data ?? []).map(
    (item: any) => item.feed_key ?? item.project_id,
  );
}

/** Database id of a unit or department of acme. */
export async function idOf(app: TestApp, table: 'unit' | 'dept', name: string): Promise<number> {
  const [row] = await app.services.db.rows(
    `SELECT t.id FROM ${table} t JOIN domain d ON d.id = t.domain_id WHERE d.name = 'acme' AND t.name = $1`,
    [name],
  );
  return Number(row![0]);
}
