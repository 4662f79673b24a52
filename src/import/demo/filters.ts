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
