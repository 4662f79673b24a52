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

/**
 * The API document says that a calendar's feed has over 40 fields, without naming them: these are the 36 default ones
 * and those that calendars need for display.
 */
export const calendarFeedFields: readonly FeedFieldName[] = feedFieldNames.filter(
  (name) => drawn.has(name) || defaultFeedFields.includes(name),
);
