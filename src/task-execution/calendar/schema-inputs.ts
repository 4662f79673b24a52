import { builder } from '../../core/graphql/builder.ts';
import { FeedViewEnum } from '../../core/graphql/feed-view.ts';
import { sharedFilters } from '../feeds/schema-inputs.ts';
import type { CalendarSource } from './calendar-filter.ts';

export const CalendarSourceEnum = builder.enumType('CalendarSource', {
  description: 'Which calendar: `filter.view` says whose. REST: source_id.',
  values: {
    CALENDAR: { description: 'Feeds: the answer is a CalendarFeeds.' },
    STORE_PROJECTS: {
      description:
        'Projects: the answer is a CalendarProjects; `filter.localProjects` and `filter.activeOnly` count.',
    },
    STORE_SUGGESTED_DATE_PROJECTS: {
      description:
        'Projects with a suggested date, at the suggested dates: the answer is a CalendarProjects.',
    },
    STORE_WALK_CAL: {
      description: 'Walks: the answer is a CalendarWalks; takes no order.',
    },
  } satisfies Record<CalendarSource, object>,
});

export const CalendarLayoutEnum = builder.enumType('CalendarLayout', {
  description: 'Layout of a calendar. REST: cal_layout, layout.',
  values: {
    MONTH: { value: 'M', description: 'A month. REST: M.' },
    WEEK: { value: 'W', description: 'A week. REST: W.' },
    DAY: { value: 'D', description: 'A day. REST: D.' },
    PINBOARD: { value: 'P', description: 'A pinboard: only pinned feeds. REST: P.' },
  } as const,
});

const LocalProjectsEnum = builder.enumType('LocalProjects', {
  description:
    'Whether to show local projects, those of the store itself, or others. REST: local_projects.',
  values: {
    LOCAL_ONLY: { value: 'Y', description: 'Local projects only. REST: Y.' },
    NON_LOCAL_ONLY: { value: 'N', description: 'Projects that are not local. REST: N.' },
    ALL: { value: 'A', description: 'All projects. REST: A.' },
  } as const,
});

export const CalendarFilterInput = builder.inputType('CalendarFilter', {
  description:
    'Which items a calendar shows. All restrictions count together; null or an omitted field is no restriction, and an empty list matches nothing. Every field is one documented REST parameter.',
  fields: (t) => ({
    ...sharedFilters(t),
    favorite: t.boolean({
      description: 'Your favourites only (true); false is no restriction. REST: favorite=1.',
    }),
    weekDates: t.field({
      type: ['LocalDate'],
      description:
        'Days of the range, of which an item must overlap at least one; others are ignored. REST: week_dates.',
    }),
    homeDeptIds: t.intList({
      description:
        'Numbers of departments whose confidential items to include, among those that you may see; by default all of them. REST: home_dept_id.',
    }),
    view: t.field({
      type: FeedViewEnum,
      description:
        "Whose items to show: your unit's with STORE_VIEW, else those of your current view. REST: view_type.",
    }),
    localProjects: t.field({
      type: LocalProjectsEnum,
      description:
        'Whether to show local projects, only for the two project sources; NON_LOCAL_ONLY by default. REST: local_projects.',
    }),
    activeOnly: t.boolean({
      description:
        'Active projects only (true), or all (false); counts only for STORE_PROJECTS. REST: active_projects=Y.',
    }),
    execLevel: t.string({
      description: 'Level of the executors, exactly as in the data. REST: cal_filter_exc_level.',
    }),
    unitIds: t.intList({
      description: 'Numbers of units (stores), any of them. REST: cal_filter_unit.',
    }),
    orgLevel: t.string({
      description: 'Level of the organisation, exactly as in the data. REST: cal_filter_org_level.',
    }),
    requestorLevel: t.string({
      description: 'Level of the requestor, exactly as in the data. REST: p_requestor_level.',
    }),
    cutOffTime: t.field({
      type: 'Timestamp',
      description:
        'Instant in epoch milliseconds, only for CALENDAR; feeds that ended before it are left out; 0 for no restriction. REST: cut_off_time.',
    }),
  }),
});
