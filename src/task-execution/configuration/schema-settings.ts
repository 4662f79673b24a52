import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import type { ConfigItem, ConfigValues } from './config-values.ts';

const CalendarSourceSetup = builder
  .objectRef<ConfigItem<'calendar_setup'>>('CalendarSourceSetup')
  .implement({
    description: 'One calendar that clients offer. REST: an item of calendar_setup.',
    fields: (t) => ({
      key: t.exposeString('key', {
        description: 'Source that the calendar shows, e.g. STORE_PROJECTS. REST: key.',
      }),
      value: t.exposeString('value', {
        nullable: true,
        description: 'Name for display; null if it has none. REST: value.',
      }),
      onClick: t.exposeString('on_click', {
        nullable: true,
        description: 'Action on a click, as configured; null if there is none. REST: on_click.',
      }),
      view: t.exposeString('view', {
        nullable: true,
        description: 'Code of the view of the source; null if it has none. REST: view.',
      }),
      defaultLayout: t.string({
        nullable: true,
        description:
          'Code of the layout in which it opens, e.g. M for a month; null if it has none. REST: default.layout.',
        resolve: (item) => item.default.layout,
      }),
      defaultView: t.string({
        nullable: true,
        description: 'Code of the view in which it opens; null if it has none. REST: default.view.',
        resolve: (item) => item.default.view,
      }),
    }),
  });

export const CalendarConfig = builder.objectRef<ConfigValues>('CalendarConfig').implement({
  description: 'Configuration of calendars in clients. REST: config_type CALENDAR.',
  fields: (t) => ({
    defaultCalendarView: t.string({
      description:
        'Code of the view that opens first; empty when not configured. REST: default_calendar_view.',
      resolve: (v) => v.default_calendar_view ?? '',
    }),
    ganttDateSpan: t.exposeString('gantt_date_span', {
      nullable: true,
      description:
        'Length of the Gantt range in days, as text; null when not configured. REST: gantt_date_span.',
    }),
    calendarSetup: t.field({
      type: [CalendarSourceSetup],
      extensions: costs({ rows: 10 }),
      description: 'The calendars, in display order. REST: calendar_setup.',
      resolve: (v) => v.calendar_setup ?? [],
    }),
    showAllDays: t.boolean({
      description: 'Whether all days are shown. REST: show_all_days is Y.',
      resolve: (v) => v.show_all_days === 'Y',
    }),
  }),
});

export const AttachmentConfig = builder.objectRef<ConfigValues>('AttachmentConfig').implement({
  description: 'Limits of attachments. REST: config_type ATTACHMENT.',
  fields: (t) => ({
    maxUploadSize: t.expose('max_upload_size', {
      type: 'SafeInt',
      nullable: true,
      description:
        'Maximum size of an attachment in bytes; null when not configured. REST: max_upload_size.',
    }),
    allowedAttachments: t.field({
      type: ['String'],
      description:
        'Allowed file extensions; empty when not configured. REST: allowed_attachments, comma-separated.',
      resolve: (v) => (v.allowed_attachments ?? '').split(',').filter((name) => name !== ''),
    }),
    commentMaxAttachCount: t.exposeInt('comment_max_attach_count', {
      nullable: true,
      description:
        'Maximum number of attachments of a comment; null when not configured. REST: comment_max_attach_count.',
    }),
    buttonMaxAttachCount: t.exposeInt('button_max_attach_count', {
      nullable: true,
      description:
        'Maximum number of attachments of a button action; null when not configured. REST: button_max_attach_count.',
    }),
  }),
});

export const RefreshConfig = builder.objectRef<ConfigValues>('RefreshConfig').implement({
  description: 'How often clients poll. REST: config_type REFRESH.',
  fields: (t) => ({
    feedRefreshRate: t.exposeInt('feed_refresh_rate', {
      nullable: true,
      description:
        'Interval for feeds in milliseconds; null when not configured. REST: feed_refresh_rate.',
    }),
    msgRefreshRate: t.exposeInt('msg_refresh_rate', {
      nullable: true,
      description:
        'Interval for messages in milliseconds; null when not configured. REST: msg_refresh_rate.',
    }),
  }),
});

export const FilterConfig = builder.objectRef<ConfigValues>('FilterConfig').implement({
  description: 'Limits of filters and notes. REST: config_type FILTER.',
  fields: (t) => ({
    maxFilterNameCharacters: t.exposeString('max_filter_name_characters', {
      nullable: true,
      description:
        'Maximum length of the name of a saved filter in characters, as text; null when not configured. REST: max_filter_name_characters.',
    }),
    filterDateRange: t.exposeInt('filter_date_range', {
      nullable: true,
      description:
        'Default range of date pickers in days; null when not configured. REST: filter_date_range.',
    }),
    maxFeedNotesCharacters: t.exposeString('max_feed_notes_characters', {
      nullable: true,
      description:
        'Maximum length of a feed note in characters, as text; null when not configured. REST: max_feed_notes_characters.',
    }),
    listTaskLimit: t.exposeInt('list_task_limit', {
      nullable: true,
      description:
        'Number of tasks from which a list is paged; null when not configured. REST: list_task_limit.',
    }),
  }),
});

export const FeedComponentConfig = builder
  .objectRef<ConfigItem<'feed_config_details'>>('FeedComponentConfig')
  .implement({
    description: 'A component of the feed panel. REST: an item of feed_config_details.',
    fields: (t) => ({
      componentId: t.exposeString('component_id', {
        description: 'Id of the component. REST: component_id.',
      }),
      newImage: t.exposeString('new_image', {
        nullable: true,
        description: 'Image for a component with news; null if there is none. REST: new_image.',
      }),
      cssContent: t.exposeString('css_content', {
        nullable: true,
        description: 'CSS of the component; null if there is none. REST: css_content.',
      }),
      actualImage: t.exposeString('actual_image', {
        nullable: true,
        description: 'Image of the component; null if there is none. REST: actual_image.',
      }),
      showFlag: t.boolean({
        description: 'Whether it is shown. REST: show_flag is Y.',
        resolve: (item) => item.show_flag === 'Y',
      }),
    }),
  });
