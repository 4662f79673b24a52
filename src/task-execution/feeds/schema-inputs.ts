import { builder } from '../../core/graphql/builder.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { FeedStatusEnum, OrderDirectionEnum } from '../terms/schema.ts';
import type { FeedOrderField } from './selection/feed-order.ts';

export const FeedKindEnum = builder.enumType('FeedKind', {
  description: 'Kind of a feed.',
  values: {
    PROJECT: { description: 'A top-level item with tasks below it.' },
    TASK: { description: 'A piece of work, below a project or on its own.' },
    MESSAGE: { description: 'A message to read; it has no tasks.' },
    WALK: { description: 'A walk through a store; calendar source STORE_WALK_CAL shows them.' },
  } as const,
});

export const FeedViewEnum = builder.enumType('FeedView', {
  description: 'Whose feeds. REST: view_type.',
  values: {
    MY_VIEW: {
      value: 'MV',
      description:
        'Mine: assigned, owned, followed, watched, or addressed to my departments or unit. REST: MV.',
    },
    DEPARTMENT_VIEW: { value: 'DV', description: "My departments' feeds. REST: DV." },
    STORE_VIEW: { value: 'SV', description: "My unit's (store's) feeds. REST: SV." },
  } as const,
});

const TaskViewEnum = builder.enumType('TaskView', {
  description: 'Rows are projects or tasks. REST: task_view.',
  values: {
    PROJECT_VIEW: {
      value: 'P',
      description: 'Top-level items: projects, messages, tasks without a project. REST: P.',
    },
    TASK_VIEW: { value: 'T', description: 'Tasks. REST: T.' },
  } as const,
});

const FeedOrderFieldEnum = builder.enumType('FeedOrderField', {
  description: 'Columns by which feeds can be sorted. REST: sort_by.',
  values: {
    PROFILE_ID: { description: 'Numeric profile. REST: profileId.' },
    END_DATE_TIME: {
      description: 'End; feeds without an end come last in ascending order. REST: endDateTime.',
    },
    PRIORITY: {
      description:
        'Number of the priority: 1, the most urgent, is first in ascending order. REST: priority.',
    },
    START_DATE_TIME: { description: 'Start. REST: startDateTime.' },
    FEED_TITLE: { description: 'Title, ignoring case. REST: feedTitle.' },
    FEED_TYPE_ID: { description: 'Feed type id, as text. REST: feedTypeId.' },
  } satisfies Record<FeedOrderField, object>,
});

export const FeedOrderInput = builder.inputType('FeedOrder', {
  description:
    'One column of an order; ties are broken by the feed key, in the direction of the last column.',
  fields: (t) => ({
    field: t.field({ type: FeedOrderFieldEnum, required: true, description: 'Column to sort by.' }),
    direction: t.field({
      type: OrderDirectionEnum,
      required: true,
      defaultValue: 'ASC',
      description: 'Ascending by default. REST: sort_order.',
    }),
  }),
});

export const FeedFilterInput = builder.inputType('FeedFilter', {
  description:
    'Every field is one documented REST parameter; null means no restriction, an empty list matches nothing.',
  fields: (t) => ({
    pinned: t.boolean({ description: 'True: pinned by you; false: not. REST: pin (-1/0/1).' }),
    pin: t.boolean({
      description: 'True: pinned by you; false: not.',
      deprecationReason: 'Use pinned, which means the same.',
    }),
    favorite: t.boolean({
      description: 'True: your favourites; false: all others. REST: favorite.',
    }),
    follow: t.boolean({ description: 'True: followed by you; false: not. REST: follow.' }),
    acknowledged: t.boolean({
      description: 'True: acknowledged by you; false: not. REST: acknowledge_flag.',
    }),
    promotedToNote: t.boolean({
      description:
        'True: promoted to a calendar note by you; false: not. REST: promote_to_note_flag.',
    }),
    messageTypes: t.stringList({
      description: 'Keys of message types, any of them. REST: message_type.',
    }),
    statuses: t.field({
      type: [FeedStatusEnum],
      description: 'Effective statuses, any of them. REST: status.',
    }),
    priorities: t.intList({ description: 'Numbers of priorities, any of them. REST: priority.' }),
    feedTitle: t.string({
      description: 'Substring of the title, ignoring case. REST: feed_title.',
    }),
    comAttrValues: t.stringList({
      description: 'Values of common attributes, any of them. REST: com_attr_val.',
    }),
    msgAttrValues: t.stringList({
      description: 'Values of message attributes, any of them. REST: msg_attr_val.',
    }),
    view: t.field({
      type: FeedViewEnum,
      defaultValue: 'MV',
      description: 'Whose feeds. REST: view_type.',
    }),
    taskView: t.field({
      type: TaskViewEnum,
      defaultValue: 'P',
      description: 'Top-level items or tasks. REST: task_view.',
    }),
    feedTypeIds: t.stringList({
      description: 'Ids of feed types, any of them. REST: feed_type_id.',
    }),
    tags: t.stringList({ description: 'Tags, any of them. REST: tags.' }),
    selectedDates: t.field({
      type: ['LocalDate'],
      description:
        "Feeds that overlap at least one of these days, in the session's zone. REST: selected_dates.",
    }),
    weekDates: t.field({
      type: ['LocalDate'],
      description: 'Like selectedDates; if both are given, both must match. REST: week_dates.',
    }),
    cutOffTime: t.field({
      type: 'Timestamp',
      description: 'Lower bound of the end, in epoch milliseconds; 0 for none. REST: cut_off_time.',
    }),
  }),
});

builder.objectField(ViewerRef, 'currentView', (t) =>
  t.field({
    type: FeedViewEnum,
    description: 'Current view of the session.',
    resolve: (viewer) => viewer.currentView,
  }),
);
