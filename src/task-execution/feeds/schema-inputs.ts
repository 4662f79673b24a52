import { builder } from '../../core/graphql/builder.ts';
import type { InputBuilder } from '../../core/graphql/mutations.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { FeedStatusEnum, OrderDirectionEnum } from '../terms/schema.ts';
import type { FeedOrderField } from './selection/feed-order.ts';
import { FeedViewEnum } from '../../core/graphql/feed-view.ts';

export const FeedKindEnum = builder.enumType('FeedKind', {
  description: 'Kind of a feed.',
  values: {
    PROJECT: { description: 'A top-level item with tasks below it.' },
    TASK: { description: 'A piece of work, below a project or on its own.' },
    MESSAGE: { description: 'A message to read; it has no tasks.' },
    WALK: { description: 'A walk through a store; calendar source STORE_WALK_CAL shows them.' },
  } as const,
});

const TaskViewEnum = builder.enumType('TaskView', {
  description: 'Which kinds of feeds to list. REST: task_view.',
  values: {
    PROJECT_VIEW: {
      value: 'P',
      description: 'Top-level items: projects, messages, tasks without a project. REST: P.',
    },
    TASK_VIEW: { value: 'T', description: 'Tasks only. REST: T.' },
  } as const,
});

const FeedOrderFieldEnum = builder.enumType('FeedOrderField', {
  description: 'Columns by which feeds can be sorted. REST: sort_by.',
  values: {
    PROFILE_ID: { description: 'Number of the profile. REST: profileId.' },
    END_DATE_TIME: {
      description: 'End; feeds without an end come last in ascending order. REST: endDateTime.',
    },
    PRIORITY: {
      description:
        'Number of the priority: 1, the most urgent, is first in ascending order. REST: priority.',
    },
    START_DATE_TIME: {
      description:
        'Start; feeds without a start come last in ascending order. REST: startDateTime.',
    },
    FEED_TITLE: { description: 'Title, ignoring case. REST: feedTitle.' },
    FEED_TYPE_ID: { description: 'Feed type id, as text. REST: feedTypeId.' },
  } satisfies Record<FeedOrderField, object>,
});

export const FeedOrderInput = builder.inputType('FeedOrder', {
  description:
    'One column of the order of a list; ties are broken by the feed key, in the direction of the last column.',
  fields: (t) => ({
    field: t.field({ type: FeedOrderFieldEnum, required: true, description: 'Column to sort by.' }),
    direction: t.field({
      type: OrderDirectionEnum,
      required: true,
      defaultValue: 'ASC',
      description: 'Direction of the sort. REST: sort_order.',
    }),
  }),
});

/** The filters that lists and calendars have in common. */
export const sharedFilters = (t: InputBuilder) => ({
  messageTypes: t.stringList({
    description: 'Keys of message types, any of them. REST: message_type.',
  }),
  statuses: t.field({
    type: [FeedStatusEnum],
    description: 'Effective statuses, any of them. REST: status.',
  }),
  priorities: t.intList({ description: 'Numbers of priorities, any of them. REST: priority.' }),
  feedTitle: t.string({ description: 'Substring of the title, ignoring case. REST: feed_title.' }),
  feedTypeIds: t.stringList({
    description: 'Ids of feed types, any of them. REST: feed_type_id.',
  }),
  tags: t.stringList({ description: 'Tags, any of them. REST: tags.' }),
});

export const FeedFilterInput = builder.inputType('FeedFilter', {
  description:
    'Which feeds to list or count. All restrictions count together; null or an omitted field is no restriction, and an empty list matches nothing. Every field is one documented REST parameter.',
  fields: (t) => ({
    pinned: t.boolean({
      description: 'Feeds that you pinned (true), or the others (false). REST: pin (1, 0).',
    }),
    pin: t.boolean({
      description: 'Feeds that you pinned (true), or the others (false).',
      deprecationReason: 'Use pinned, which means the same.',
    }),
    favorite: t.boolean({
      description: 'Your favourites (true), or the others (false). REST: favorite (1, 0).',
    }),
    follow: t.boolean({
      description: 'Feeds that you follow (true), or the others (false). REST: follow (1, 0).',
    }),
    acknowledged: t.boolean({
      description:
        'Feeds that you acknowledged (true), or the others (false). REST: acknowledge_flag (1, 0).',
    }),
    promotedToNote: t.boolean({
      description:
        'Feeds that you promoted to a calendar note (true), or the others (false). REST: promote_to_note_flag (1, 0).',
    }),
    ...sharedFilters(t),
    comAttrValues: t.stringList({
      description: 'Values of common attributes, any of them. REST: com_attr_val.',
    }),
    msgAttrValues: t.stringList({
      description: 'Values of message attributes, any of them. REST: msg_attr_val.',
    }),
    view: t.field({
      type: FeedViewEnum,
      defaultValue: 'MV',
      description: 'Whose feeds to list. REST: view_type.',
    }),
    taskView: t.field({
      type: TaskViewEnum,
      defaultValue: 'P',
      description: 'Whether to list top-level items or tasks. REST: task_view.',
    }),
    selectedDates: t.field({
      type: ['LocalDate'],
      description:
        "Days, of which a feed must overlap at least one, in the session's time zone. REST: selected_dates.",
    }),
    weekDates: t.field({
      type: ['LocalDate'],
      description:
        'Days as in selectedDates; if both are given, a feed must match both. REST: week_dates.',
    }),
    cutOffTime: t.field({
      type: 'Timestamp',
      description:
        'Instant in epoch milliseconds; feeds that ended before it are left out; 0 for no restriction. REST: cut_off_time.',
    }),
  }),
});

builder.objectField(ViewerRef, 'currentView', (t) =>
  t.field({
    type: FeedViewEnum,
    description: 'View in which the session lists calendars, unless a filter says otherwise.',
    resolve: (viewer) => viewer.currentView,
  }),
);
