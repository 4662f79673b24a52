import { builder } from '../../core/graphql/builder.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { feedStatuses, type FeedStatus } from '../terms/feed-status.ts';
import { FeedStatusEnum, OrderDirectionEnum } from '../terms/schema.ts';
import type { ConfigValues } from './config-values.ts';
import { listConfiguration, type ListedConfiguration } from './list-configuration.ts';
import type { ConfigScope } from './read-configuration.ts';
import { costs } from '../../core/graphql/field-cost.ts';

type Item<Key extends keyof ConfigValues> =
  NonNullable<ConfigValues[Key]> extends readonly (infer T)[] ? T : never;

const CalendarSourceSetup = builder
  .objectRef<Item<'calendar_setup'>>('CalendarSourceSetup')
  .implement({
    description: 'One calendar that clients offer. REST: an item of calendar_setup.',
    fields: (t) => ({
      key: t.exposeString('key', { description: 'Source of the calendar. REST: key.' }),
      value: t.exposeString('value', { nullable: true, description: 'Name for display.' }),
      onClick: t.exposeString('on_click', {
        nullable: true,
        description: 'What a click does. REST: on_click.',
      }),
      view: t.exposeString('view', {
        nullable: true,
        description: 'View code of the source. REST: view.',
      }),
      defaultLayout: t.string({
        nullable: true,
        description: 'REST: default.layout.',
        resolve: (item) => item.default.layout,
      }),
      defaultView: t.string({
        nullable: true,
        description: 'REST: default.view.',
        resolve: (item) => item.default.view,
      }),
    }),
  });

const CalendarConfig = builder.objectRef<ConfigValues>('CalendarConfig').implement({
  description: 'How clients show calendars. REST: config_type CALENDAR.',
  fields: (t) => ({
    defaultCalendarView: t.string({
      description: 'Default view code, empty when not configured. REST: default_calendar_view.',
      resolve: (v) => v.default_calendar_view ?? '',
    }),
    ganttDateSpan: t.exposeString('gantt_date_span', {
      nullable: true,
      description: 'Days shown in the Gantt range. REST: gantt_date_span.',
    }),
    calendarSetup: t.field({
      type: [CalendarSourceSetup],
      extensions: costs({ rows: 10 }),
      description: 'Calendars in their order. REST: calendar_setup.',
      resolve: (v) => v.calendar_setup ?? [],
    }),
    showAllDays: t.boolean({
      description: 'All days are shown. REST: show_all_days is Y.',
      resolve: (v) => v.show_all_days === 'Y',
    }),
  }),
});

const FeedStatusText = builder
  .objectRef<{ status: FeedStatus; displayText: string }>('FeedStatusText')
  .implement({
    description: 'What a status is called. REST: an entry of feed_status_data.',
    fields: (t) => ({
      status: t.expose('status', {
        type: FeedStatusEnum,
        description: 'The status that is named.',
      }),
      displayText: t.exposeString('displayText', { description: 'Its name. REST: display_text.' }),
    }),
  });

const SortOrderSetting = builder.objectRef<Item<'sort_order'>>('SortOrderSetting').implement({
  description: 'One column of the configured order. REST: an item of sort_order.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'Documented name of the column, e.g. endDateTime. REST: key.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Name for display.',
    }),
    type: t.exposeString('type', { description: 'numeric, character or miscellaneous.' }),
    value: t.field({
      type: OrderDirectionEnum,
      description: 'Direction. REST: A or D.',
      resolve: (item) => (item.value === 'D' ? 'DESC' : 'ASC'),
    }),
  }),
});

type PriorityData = NonNullable<ConfigValues['priority_data']>[string] & { priority: number };

const PriorityText = builder.objectRef<PriorityData>('PriorityText').implement({
  description: 'How a priority is shown. REST: an entry of priority_data.',
  fields: (t) => ({
    priority: t.exposeInt('priority', { description: 'Priority number.' }),
    priorityDesc: t.exposeString('priority_desc', {
      description: 'Its name. REST: priority_desc.',
    }),
    color: t.exposeString('color', {
      nullable: true,
      description: 'CSS colour, e.g. #d0021b. REST: color.',
    }),
    img: t.string({
      nullable: true,
      description: 'Image. REST: img or img_path.',
      resolve: (item) => item.img ?? item.img_path ?? null,
    }),
  }),
});

const FeedConfig = builder.objectRef<ConfigValues>('FeedConfig').implement({
  description: 'How clients show feeds. REST: config_type FEED.',
  fields: (t) => ({
    feedStatusData: t.field({
      type: [FeedStatusText],
      extensions: costs({ rows: 10 }),
      description: 'Names of the statuses. REST: feed_status_data.',
      resolve: ({ feed_status_data: texts }) =>
        feedStatuses.flatMap((status) =>
          texts?.[status.toLowerCase()]
            ? [{ status, displayText: texts[status.toLowerCase()]?.display_text ?? '' }]
            : [],
        ),
    }),
    feedDateSpan: t.exposeString('feed_date_span', {
      nullable: true,
      description: 'Default date span of feed lists, in days. REST: feed_date_span.',
    }),
    sortOrder: t.field({
      type: [SortOrderSetting],
      extensions: costs({ rows: 10 }),
      description: 'Order of feed lists. REST: sort_order.',
      resolve: (v) => v.sort_order ?? [],
    }),
    priorityData: t.field({
      type: [PriorityText],
      extensions: costs({ rows: 10 }),
      description: 'How priorities are shown. REST: priority_data.',
      resolve: (v) =>
        Object.entries(v.priority_data ?? {}).map(([priority, data]) => ({
          priority: Number(priority),
          ...data,
        })),
    }),
    overdueDateSpan: t.exposeInt('overdue_date_span', {
      nullable: true,
      description: 'Days past due before a feed is overdue. REST: overdue_date_span.',
    }),
    allowBulkAction: t.boolean({
      description: 'Bulk actions are enabled. REST: allow_bulk_action is Y.',
      resolve: (v) => v.allow_bulk_action === 'Y',
    }),
    noRecords: t.exposeString('no_records', {
      nullable: true,
      description: 'Default page size of feed lists. REST: no_records.',
    }),
    projStatusCss: t.expose('proj_status_css', {
      type: 'JSON',
      nullable: true,
      description: 'Project status to CSS. REST: proj_status_css.',
    }),
    fyiConfig: t.field({
      type: ['JSON'],
      description: 'CSS configuration of FYI messages. REST: fyi_config.',
      resolve: (v) => v.fyi_config ?? [],
    }),
    feedUiconfig: t.expose('feed_uiconfig', {
      type: 'JSON',
      nullable: true,
      description: 'Flags of the user interface. REST: feed_uiconfig.',
    }),
    projectTypeData: t.expose('project_type_data', {
      type: 'JSON',
      nullable: true,
      description: 'Project type code to name. REST: project_type_data.',
    }),
    messageTypeData: t.expose('message_type_data', {
      type: 'JSON',
      nullable: true,
      description: 'Message type key to description. REST: message_type_data.',
    }),
  }),
});

const AttachmentConfig = builder.objectRef<ConfigValues>('AttachmentConfig').implement({
  description: 'Limits of attachments. REST: config_type ATTACHMENT.',
  fields: (t) => ({
    maxUploadSize: t.expose('max_upload_size', {
      type: 'SafeInt',
      nullable: true,
      description: 'Bytes. REST: max_upload_size.',
    }),
    allowedAttachments: t.field({
      type: ['String'],
      description: 'File extensions. REST: allowed_attachments, comma-separated.',
      resolve: (v) => (v.allowed_attachments ?? '').split(',').filter((name) => name !== ''),
    }),
    commentMaxAttachCount: t.exposeInt('comment_max_attach_count', {
      nullable: true,
      description: 'Most attachments of a comment. REST: comment_max_attach_count.',
    }),
    buttonMaxAttachCount: t.exposeInt('button_max_attach_count', {
      nullable: true,
      description: 'Most attachments of a button action. REST: button_max_attach_count.',
    }),
  }),
});

const RefreshConfig = builder.objectRef<ConfigValues>('RefreshConfig').implement({
  description: 'How often clients poll. REST: config_type REFRESH.',
  fields: (t) => ({
    feedRefreshRate: t.exposeInt('feed_refresh_rate', {
      nullable: true,
      description: 'Feeds, in milliseconds. REST: feed_refresh_rate.',
    }),
    msgRefreshRate: t.exposeInt('msg_refresh_rate', {
      nullable: true,
      description: 'Messages, in milliseconds. REST: msg_refresh_rate.',
    }),
  }),
});

const FilterConfig = builder.objectRef<ConfigValues>('FilterConfig').implement({
  description: 'Limits of filters and notes. REST: config_type FILTER.',
  fields: (t) => ({
    maxFilterNameCharacters: t.exposeString('max_filter_name_characters', {
      nullable: true,
      description: 'Longest name of a saved filter. REST: max_filter_name_characters.',
    }),
    filterDateRange: t.exposeInt('filter_date_range', {
      nullable: true,
      description: 'Default days of date pickers. REST: filter_date_range.',
    }),
    maxFeedNotesCharacters: t.exposeString('max_feed_notes_characters', {
      nullable: true,
      description: 'Longest feed note. REST: max_feed_notes_characters.',
    }),
    listTaskLimit: t.exposeInt('list_task_limit', {
      nullable: true,
      description: 'Most tasks in a list before it pages. REST: list_task_limit.',
    }),
  }),
});

const FeedComponentConfig = builder
  .objectRef<Item<'feed_config_details'>>('FeedComponentConfig')
  .implement({
    description: 'A component of the feed panel. REST: an item of feed_config_details.',
    fields: (t) => ({
      componentId: t.exposeString('component_id', { description: 'REST: component_id.' }),
      newImage: t.exposeString('new_image', { nullable: true, description: 'REST: new_image.' }),
      cssContent: t.exposeString('css_content', {
        nullable: true,
        description: 'REST: css_content.',
      }),
      actualImage: t.exposeString('actual_image', {
        nullable: true,
        description: 'REST: actual_image.',
      }),
      showFlag: t.boolean({
        description: 'It is shown. REST: show_flag is Y.',
        resolve: (item) => item.show_flag === 'Y',
      }),
    }),
  });

export const ConfigScopeEnum = builder.enumType('ConfigScope', {
  description:
    'Where a value is configured, least specific first; the most specific scope wins whole.',
  values: {
    SYSTEM: { description: 'Everywhere.' },
    DOMAIN: { description: 'The domain of the session.' },
    PROFILE: { description: 'Users of one profile.' },
    UNIT: { description: 'Users of one unit (store).' },
    DEPT: { description: 'Users of one department.' },
    USER: { description: 'One user.' },
  } satisfies Record<ConfigScope, object>,
});

const ConfigurationSource = builder
  .objectRef<ListedConfiguration['sources'][number]>('ConfigurationSource')
  .implement({
    description: 'Where a value in force comes from.',
    fields: (t) => ({
      key: t.exposeString('key', { description: 'Documented name, as in config_list.' }),
      scope: t.expose('scope', { type: ConfigScopeEnum, description: 'The scope that won.' }),
    }),
  });

export const ConfigurationRef = builder.objectRef<ListedConfiguration>('Configuration').implement({
  description:
    'Configuration in force for you. REST: config_list, where the fields of all types sit at one level.',
  fields: (t) => ({
    calendar: t.field({
      type: CalendarConfig,
      description: 'REST: config_type CALENDAR.',
      resolve: ({ values }) => values,
    }),
    feed: t.field({
      type: FeedConfig,
      description: 'REST: config_type FEED.',
      resolve: ({ values }) => values,
    }),
    attachment: t.field({
      type: AttachmentConfig,
      description: 'REST: config_type ATTACHMENT.',
      resolve: ({ values }) => values,
    }),
    smartSearch: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Null without the smart-search permission. REST: sm_filter.',
      resolve: ({ values }) => values.sm_filter,
    }),
    refresh: t.field({
      type: RefreshConfig,
      description: 'REST: config_type REFRESH.',
      resolve: ({ values }) => values,
    }),
    filter: t.field({
      type: FilterConfig,
      description: 'REST: config_type FILTER.',
      resolve: ({ values }) => values,
    }),
    feedComponents: t.field({
      type: [FeedComponentConfig],
      extensions: costs({ rows: 20 }),
      description: 'REST: feed_config_details.',
      resolve: ({ values }) => values.feed_config_details ?? [],
    }),
    sources: t.expose('sources', {
      type: [ConfigurationSource],
      extensions: costs({ rows: 40 }),
      description: 'Which scope won, for every value that is configured.',
    }),
  }),
});

builder.objectField(ViewerRef, 'configuration', (t) =>
  t.field({
    type: ConfigurationRef,
    description: 'Merged configuration. REST: /task/v1/config/list.',
    resolve: (_, __, ctx) => listConfiguration(ctx),
  }),
);
