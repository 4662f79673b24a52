import { builder } from '../../core/graphql/builder.ts';
import { FeedViewEnum } from '../feeds/schema-inputs.ts';
import { FeedStatusEnum } from '../terms/schema.ts';
import type { CalendarSource } from './calendar-filter.ts';

export const CalendarSourceEnum = builder.enumType('CalendarSource', {
  description: 'Which calendar. REST: source_id.',
  values: {
    CALENDAR: { description: 'Your feeds: the answer is a CalendarRange with feeds.' },
    STORE_PROJECTS: {
      description:
        'Projects of your store: `filter.localProjects` and `filter.activeProjects` count.',
    },
    STORE_SUGGESTED_DATE_PROJECTS: {
      description: 'Projects of your store with a suggested date, shown at the suggested dates.',
    },
    STORE_WALK_CAL: { description: 'Walks through your store; takes no order.' },
  } satisfies Record<CalendarSource, object>,
});

export const CalendarLayoutEnum = builder.enumType('CalendarLayout', {
  description: 'Layout of a calendar. REST: cal_layout, layout.',
  values: {
    MONTH: { value: 'M', description: 'REST: M.' },
    WEEK: { value: 'W', description: 'REST: W.' },
    DAY: { value: 'D', description: 'REST: D.' },
    PINBOARD: { value: 'P', description: 'Only pinned feeds. REST: P.' },
  } as const,
});

const LocalProjectsEnum = builder.enumType('LocalProjects', {
  description: 'Local projects or others. REST: local_projects.',
  values: {
    LOCAL_ONLY: { value: 'Y', description: 'REST: Y.' },
    NON_LOCAL_ONLY: { value: 'N', description: 'REST: N.' },
    ALL: { value: 'A', description: 'REST: A.' },
  } as const,
});

export const CalendarFilterInput = builder.inputType('CalendarFilter', {
  description:
    'Every field is one documented REST parameter; null means no restriction, an empty list matches nothing.',
  fields: (t) => ({
    statuses: t.field({ type: [FeedStatusEnum], description: 'REST: status.' }),
    priorities: t.intList({ description: 'REST: priority.' }),
    messageTypes: t.stringList({ description: 'REST: message_type.' }),
    feedTypeIds: t.stringList({ description: 'REST: feed_type_id.' }),
    feedTitle: t.string({ description: 'REST: feed_title, case-insensitive substring.' }),
    favorite: t.boolean({ description: 'True: favorites only. REST: favorite=1.' }),
    tags: t.stringList({ description: 'REST: tags.' }),
    weekDates: t.field({
      type: ['LocalDate'],
      description: 'Items that overlap one of these days of the range. REST: week_dates.',
    }),
    homeDeptIds: t.intList({
      description:
        'Departments whose confidential items to include, among those you may see. REST: home_dept_id.',
    }),
    view: t.field({
      type: FeedViewEnum,
      description:
        "STORE_VIEW shows your unit's items; any other value, your current view. REST: view_type.",
    }),
    localProjects: t.field({
      type: LocalProjectsEnum,
      description:
        'Only for the two project sources; NON_LOCAL_ONLY by default. REST: local_projects.',
    }),
    activeOnly: t.boolean({ description: 'Only for STORE_PROJECTS. REST: active_projects=Y.' }),
    execLevel: t.string({ description: 'REST: cal_filter_exc_level.' }),
    unitIds: t.intList({ description: 'REST: cal_filter_unit.' }),
    orgLevel: t.string({ description: 'REST: cal_filter_org_level.' }),
    requestorLevel: t.string({ description: 'REST: p_requestor_level.' }),
    cutOffTime: t.field({
      type: 'Timestamp',
      description: 'Only for CALENDAR: lower bound of the end. REST: cut_off_time.',
    }),
  }),
});
