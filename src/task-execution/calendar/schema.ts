import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { daysBetween, type Day } from '../../core/time.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { loadFeed } from '../feeds/load-feeds.ts';
import {
  FeedConnection,
  FeedRef,
  selectedChangeCursor,
  selectedPage,
} from '../feeds/schema-feed.ts';
import { FeedOrderInput, FeedViewEnum } from '../feeds/schema-inputs.ts';
import { FeedStatusEnum } from '../terms/schema.ts';
import type { CalendarSource } from './calendar-filter.ts';
import { countCalendarFeeds, listCalendarFeeds } from './list-calendar-feeds.ts';
import type { CalendarProject } from './list-calendar-projects.ts';
import type { CalendarWalk } from './list-calendar-walks.ts';
import type { Calendar } from './open-calendar.ts';
import { readCalendar, type CalendarResult } from './read-calendar.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const CalendarSourceEnum = builder.enumType('CalendarSource', {
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

const CalendarLayoutEnum = builder.enumType('CalendarLayout', {
  description: 'How a calendar is laid out. REST: cal_layout, layout.',
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

const CalendarFilterInput = builder.inputType('CalendarFilter', {
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
      description: 'Whose confidential items you want to see; can only narrow. REST: home_dept_id.',
    }),
    view: t.field({
      type: FeedViewEnum,
      description:
        "STORE_VIEW: your unit's items; anything else: your current view. REST: view_type.",
    }),
    localProjects: t.field({
      type: LocalProjectsEnum,
      description: 'The two project sources, NON_LOCAL_ONLY by default. REST: local_projects.',
    }),
    activeOnly: t.boolean({ description: 'STORE_PROJECTS. REST: active_projects=Y.' }),
    execLevel: t.string({ description: 'REST: cal_filter_exc_level.' }),
    unitIds: t.intList({ description: 'REST: cal_filter_unit.' }),
    orgLevel: t.string({ description: 'REST: cal_filter_org_level.' }),
    requestorLevel: t.string({ description: 'REST: p_requestor_level.' }),
    cutOffTime: t.field({
      type: 'Timestamp',
      description: 'CALENDAR: lower bound on the end. REST: cut_off_time.',
    }),
  }),
});

const isoDay = (day: Day): string => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
const isoDayOrNull = (day: Day | null): string | null => (day === null ? null : isoDay(day));

const CalendarRange = builder.interfaceRef<Calendar>('CalendarRange').implement({
  description: 'What all calendars tell of their range.',
  fields: (t) => ({
    layout: t.field({
      type: CalendarLayoutEnum,
      nullable: true,
      description: 'Of the system filter, null unless one resolved. REST: layout.',
      resolve: (calendar) => calendar.systemFilter?.layout,
    }),
    calendarType: t.string({
      nullable: true,
      description: 'Of the system filter, null unless one resolved. REST: calendarType.',
      resolve: (calendar) => calendar.systemFilter?.calendarType,
    }),
    selectedDates: t.field({
      extensions: costs({ weight: 10 }),
      type: ['LocalDate'],
      description: 'The days of the range. REST: selectedDates.',
      resolve: ({ from, to }) => daysBetween(from, to).map(isoDay),
    }),
  }),
});

const CalendarProjectRef = builder.objectRef<CalendarProject>('CalendarProject').implement({
  description: 'A project of a calendar. REST: an item of project_data.',
  fields: (t) => ({
    projectId: t.expose('projectId', {
      type: 'SafeInt',
      description: 'Key of the feed. REST: project_id.',
    }),
    projectTitle: t.exposeString('projectTitle', { description: 'REST: project_title.' }),
    projectType: t.exposeString('projectType', {
      nullable: true,
      description: 'Feed type id. REST: project_type.',
    }),
    projectTypeDesc: t.exposeString('projectTypeDesc', {
      nullable: true,
      description: 'Name of the type. REST: project_type_desc.',
    }),
    icon: t.exposeString('icon', { nullable: true, description: 'REST: icon.' }),
    startDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description:
        'First day; the suggested one in STORE_SUGGESTED_DATE_PROJECTS. REST: start_date.',
      resolve: (project) => isoDayOrNull(project.startDate),
    }),
    endDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'Last day; the suggested one in STORE_SUGGESTED_DATE_PROJECTS. REST: end_date.',
      resolve: (project) => isoDayOrNull(project.endDate),
    }),
    priority: t.exposeInt('priority', { nullable: true, description: 'REST: priority.' }),
    isOverdue: t.exposeBoolean('isOverdue', { description: 'REST: is_overdue.' }),
    isCompleted: t.exposeBoolean('isCompleted', { description: 'REST: is_completed.' }),
    isConfidential: t.exposeBoolean('isConfidential', { description: 'REST: is_confidential.' }),
    isEdited: t.exposeBoolean('isEdited', { description: 'REST: is_edited.' }),
    hasSurvey: t.exposeBoolean('hasSurvey', { description: 'REST: has_survey.' }),
    hasAttachment: t.exposeBoolean('hasAttachment', { description: 'REST: has_attachment.' }),
    assignedRole: t.exposeString('assignedRole', {
      nullable: true,
      description: 'REST: assigned_role.',
    }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description: 'The same project as a feed.',
      resolve: (project, _, ctx) => loadFeed(ctx, project.projectId),
    }),
  }),
});

const CalendarWalkRef = builder.objectRef<CalendarWalk>('CalendarWalk').implement({
  description: 'A store walk of a calendar. REST: an item of project_data.',
  fields: (t) => ({
    projectId: t.expose('projectId', {
      type: 'SafeInt',
      description: 'Key of the feed. REST: project_id.',
    }),
    projectTitle: t.exposeString('projectTitle', { description: 'REST: project_title.' }),
    projectType: t.exposeString('projectType', {
      nullable: true,
      description: 'Feed type id. REST: project_type.',
    }),
    assignedTo: t.exposeString('assignedTo', {
      nullable: true,
      description: 'Names of the persons, else departments, else units. REST: assigned_to.',
    }),
    startDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'REST: start_date.',
      resolve: (walk) => isoDayOrNull(walk.startDate),
    }),
    endDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'REST: end_date.',
      resolve: (walk) => isoDayOrNull(walk.endDate),
    }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description: 'The same walk as a feed.',
      resolve: (walk, _, ctx) => loadFeed(ctx, walk.projectId),
    }),
  }),
});

const truncated = 'True when more than 5,000 items match: ask for a shorter range.';

const CalendarFeeds = builder
  .objectRef<Extract<CalendarResult, { source: 'CALENDAR' }>>('CalendarFeeds')
  .implement({
    description: 'source_id CALENDAR.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      feeds: t.field({
        type: FeedConnection,
        description:
          'The feeds, 20 a page unless asked otherwise. REST: feed_details, all at once.',
        args: connectionArgs,
        resolve: async (calendar, args, ctx, info) => {
          const changeCursor = await selectedChangeCursor(ctx, info);
          const page = await listCalendarFeeds(
            ctx,
            calendar,
            selectedPage(info, pageFromConnectionArgs(args)),
          );
          return {
            ...page,
            changeCursor,
            lastFetchTime: calendar.lastFetchTime,
            totalCount: () => countCalendarFeeds(ctx, calendar),
          };
        },
      }),
      lastFetchTime: t.expose('lastFetchTime', {
        type: 'Timestamp',
        description: 'Server clock before the read. REST: last_fetch_time.',
      }),
    }),
  });

const CalendarProjects = builder
  .objectRef<Extract<CalendarResult, { projects: unknown }>>('CalendarProjects')
  .implement({
    description: 'source_id STORE_PROJECTS and STORE_SUGGESTED_DATE_PROJECTS.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      projects: t.expose('projects', {
        type: [CalendarProjectRef],
        extensions: costs({ rows: 1_000 }),
        description: 'REST: project_data.',
      }),
      truncated: t.exposeBoolean('truncated', { description: truncated }),
    }),
  });

const CalendarWalks = builder
  .objectRef<Extract<CalendarResult, { walks: unknown }>>('CalendarWalks')
  .implement({
    description: 'source_id STORE_WALK_CAL.',
    interfaces: [CalendarRange],
    fields: (t) => ({
      walks: t.expose('walks', {
        type: [CalendarWalkRef],
        extensions: costs({ rows: 1_000 }),
        description: 'By date. REST: project_data.',
      }),
      truncated: t.exposeBoolean('truncated', { description: truncated }),
    }),
  });

const CalendarResultRef = builder.unionType('CalendarResult', {
  description: 'A calendar; its type follows from the source.',
  types: [CalendarFeeds, CalendarProjects, CalendarWalks],
  resolveType: (result) =>
    result.source === 'CALENDAR'
      ? 'CalendarFeeds'
      : result.source === 'STORE_WALK_CAL'
        ? 'CalendarWalks'
        : 'CalendarProjects',
});

builder.objectField(ViewerRef, 'calendar', (t) =>
  t.field({
    type: CalendarResultRef,
    extensions: costs({ weight: 100 }),
    description:
      'Calendar and Gantt data of a range of at most 1,096 days. REST: /task/v1/calendar.',
    args: {
      source: t.arg({ type: CalendarSourceEnum, required: true, description: 'REST: source_id.' }),
      from: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'First day. REST: from_date.',
      }),
      to: t.arg({
        type: 'LocalDate',
        required: true,
        description: 'Last day, inclusive. REST: to_date.',
      }),
      layout: t.arg({
        type: CalendarLayoutEnum,
        defaultValue: 'M',
        description: 'REST: cal_layout.',
      }),
      filter: t.arg({ type: CalendarFilterInput, description: 'What narrows the calendar.' }),
      filterId: t.arg.id({
        description: 'A system filter, which holds too and brings its layout. REST: filter_id.',
      }),
      orderBy: t.arg({
        type: [FeedOrderInput],
        description: 'CALENDAR and STORE_PROJECTS. REST: sort_by, sort_order.',
      }),
    },
    resolve: (_, args, ctx) => readCalendar(ctx, args),
  }),
);
