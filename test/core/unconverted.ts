/** Files of src that hold SQL and are no *.sql.ts files: each is removed when it is converted. */
export const unconverted: readonly string[] = [
  'core/lists/pages-below.ts',
  'core/lists/read-list.ts',
  'task-execution/calendar/calendar-filter.ts',
  'task-execution/changes/load-changed-feeds.ts',
  'task-execution/feeds/count-feeds.ts',
  'task-execution/feeds/fields/feed-columns.ts',
  'task-execution/feeds/fields/feed-fields.ts',
  'task-execution/feeds/list-child-feeds.ts',
  'task-execution/feeds/load-feeds.ts',
  'task-execution/feeds/read-feed-page.ts',
  'task-execution/feeds/selection/feed-counters.ts',
  'task-execution/feeds/selection/feed-filter.ts',
  'task-execution/feeds/selection/feed-visibility.ts',
];
