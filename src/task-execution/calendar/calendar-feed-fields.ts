import {
  defaultFeedFields,
  feedFieldNames,
  type FeedFieldName,
} from '../feeds/fields/feed-fields.ts';

const drawn: ReadonlySet<FeedFieldName> = new Set([
  'dept_id',
  'end_date_utc',
  'display_start_date',
  'display_date',
  'event_date',
  'start_date_utc',
  'unit_id',
  'event_end_date',
  'display_end_date',
]);

/** The document counts over 40 fields of a calendar's feed without naming them: the 36 default ones and what a calendar draws with [L]. */
export const calendarFeedFields: readonly FeedFieldName[] = feedFieldNames.filter(
  (name) => drawn.has(name) || defaultFeedFields.includes(name),
);
