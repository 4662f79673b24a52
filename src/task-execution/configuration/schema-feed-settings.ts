import { builder } from '../../core/graphql/builder.ts';
import { costs } from '../../core/graphql/field-cost.ts';
import { feedStatuses, type FeedStatus } from '../terms/feed-status.ts';
import { FeedStatusEnum, OrderDirectionEnum } from '../terms/schema.ts';
import type { ConfigItem, ConfigValues } from './config-values.ts';

const FeedStatusText = builder
  .objectRef<{ status: FeedStatus; displayText: string }>('FeedStatusText')
  .implement({
    description: 'Name of a status. REST: an entry of feed_status_data.',
    fields: (t) => ({
      status: t.expose('status', {
        type: FeedStatusEnum,
        description: 'The status.',
      }),
      displayText: t.exposeString('displayText', {
        description: 'Name of the status for display. REST: display_text.',
      }),
    }),
  });

const SortOrderSetting = builder.objectRef<ConfigItem<'sort_order'>>('SortOrderSetting').implement({
  description: 'One column of the configured order. REST: an item of sort_order.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'Documented name of the column, e.g. endDateTime. REST: key.',
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Name of the column for display; null if it has none. REST: description.',
    }),
    type: t.exposeString('type', {
      description: 'Kind of the values: numeric, character or miscellaneous. REST: type.',
    }),
    value: t.field({
      type: OrderDirectionEnum,
      description: 'Direction of the sort. REST: value, A or D.',
      resolve: (item) => (item.value === 'D' ? 'DESC' : 'ASC'),
    }),
  }),
});

type PriorityData = NonNullable<ConfigValues['priority_data']>[string] & { priority: number };

const PriorityText = builder.objectRef<PriorityData>('PriorityText').implement({
  description: 'Display of a priority. REST: an entry of priority_data.',
  fields: (t) => ({
    priority: t.exposeInt('priority', { description: 'Number of the priority. REST: the key.' }),
    priorityDesc: t.exposeString('priority_desc', {
      description: 'Name of the priority for display. REST: priority_desc.',
    }),
    color: t.exposeString('color', {
      nullable: true,
      description: 'CSS colour, e.g. #d0021b; null if it has none. REST: color.',
    }),
    img: t.string({
      nullable: true,
      description:
        'Image of the priority, as configured; null if it has none. REST: img or img_path.',
      resolve: (item) => item.img ?? item.img_path ?? null,
    }),
  }),
});

export const FeedConfig = builder.objectRef<ConfigValues>('FeedConfig').implement({
  description: 'Configuration of feeds in clients. REST: config_type FEED.',
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
      description:
        'Default date span of feed lists in days, as text; null when not configured. REST: feed_date_span.',
    }),
    sortOrder: t.field({
      type: [SortOrderSetting],
      extensions: costs({ rows: 10 }),
      description: 'Order of feed lists, most significant column first. REST: sort_order.',
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
      description:
        'Days after its end until a feed is overdue; null when not configured, which counts as 0. REST: overdue_date_span.',
    }),
    allowBulkAction: t.boolean({
      description: 'Whether bulk actions are enabled. REST: allow_bulk_action is Y.',
      resolve: (v) => v.allow_bulk_action === 'Y',
    }),
    noRecords: t.exposeString('no_records', {
      nullable: true,
      description:
        'Default page size of feed lists, as text; null when not configured. REST: no_records.',
    }),
    projStatusCss: t.expose('proj_status_css', {
      type: 'JSON',
      nullable: true,
      description: 'CSS by project status; null when not configured. REST: proj_status_css.',
    }),
    fyiConfig: t.field({
      type: ['JSON'],
      description: 'CSS configuration of FYI messages, in order. REST: fyi_config.',
      resolve: (v) => v.fyi_config ?? [],
    }),
    feedUiconfig: t.expose('feed_uiconfig', {
      type: 'JSON',
      nullable: true,
      description:
        'Flags of the user interface by name; null when not configured. REST: feed_uiconfig.',
    }),
    projectTypeData: t.expose('project_type_data', {
      type: 'JSON',
      nullable: true,
      description:
        'Names of project types by code; null when not configured. REST: project_type_data.',
    }),
    messageTypeData: t.expose('message_type_data', {
      type: 'JSON',
      nullable: true,
      description:
        'Descriptions of message types by key; null when not configured. REST: message_type_data.',
    }),
  }),
});
