import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Day } from '../../core/time/days.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { loadFeed } from '../feeds/load-feeds.ts';
import { FeedRef } from '../feeds/schema-feed.ts';
import type { CalendarNote, MonthlyNote } from './list-notes.ts';
import { type LeadershipCalendar, readLeadershipCalendar } from './read-leadership-calendar.ts';
import type { LeadershipLegend, LeadershipProject } from './leadership-project.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const LeadershipCalendarType = builder.enumType('LeadershipCalendarType', {
  description: 'Length of the period. REST: cal_type.',
  values: {
    MONTHLY: { value: 'M', description: 'The month. REST: M.' },
    ANNUAL: { value: 'A', description: 'The whole year. REST: A.' },
  } as const,
});

const LeadershipFilterInput = builder.inputType('LeadershipFilter', {
  description:
    'Every field is one documented REST parameter; null means no restriction, an empty list matches nothing.',
  fields: (t) => ({
    projectTypeIds: t.stringList({ description: 'REST: project_type_id.' }),
    execLevels: t.intList({ description: 'REST: exec_level.' }),
    assignments: t.intList({
      description: 'Departments to which a project is assigned. REST: assignments.',
    }),
    viewUnits: t.intList({ description: 'REST: view_unit.' }),
    projectTitle: t.string({ description: 'Case-insensitive substring. REST: project_title.' }),
    legendTypes: t.intList({ description: 'REST: legend_type.' }),
    priorities: t.intList({ description: 'REST: priority.' }),
    showOnlyMyProjects: t.boolean({
      defaultValue: false,
      description: 'My view instead of my unit and departments. REST: show_only_my_projects.',
    }),
    showFieldProjects: t.boolean({
      defaultValue: false,
      description: 'Include projects below other projects. REST: show_field_projects.',
    }),
  }),
});

const isoDay = (day: Day): string => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;

const LeadershipCategory = builder
  .objectRef<LeadershipCalendar['categories'][number]>('LeadershipCategory')
  .implement({
    description: 'A heading of the leadership calendar. REST: an item of leadership_categories.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Id of the category, as configured. REST: id.' }),
      name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    }),
  });

const LeadershipLegendRef = builder.objectRef<LeadershipLegend>('LeadershipLegend').implement({
  description: 'A colour and its meaning. REST: an item of leadership_admin_legend_details.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'REST: id, legend_id.' }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    color: t.exposeString('color', { description: 'CSS colour. REST: color.' }),
  }),
});

const LeadershipProjectRef = builder.objectRef<LeadershipProject>('LeadershipProject').implement({
  description:
    'A project that overlaps the period. REST: an item of leadership_calender_project_data (sic).',
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
    startDate: t.field({
      type: 'LocalDate',
      description: 'First day. REST: start_date, an integer yyyyMMdd.',
      resolve: (project) => isoDay(project.startDate),
    }),
    endDate: t.field({
      type: 'LocalDate',
      description: 'Last day. REST: end_date, an integer yyyyMMdd.',
      resolve: (project) => isoDay(project.endDate),
    }),
    span: t.exposeInt('span', {
      description: 'Days from start to end, both included. REST: span.',
    }),
    priority: t.exposeInt('priority', { nullable: true, description: 'REST: priority.' }),
    legend: t.expose('legend', {
      type: LeadershipLegendRef,
      nullable: true,
      description: 'REST: legend_id.',
    }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description: 'The same project as a feed.',
      resolve: (project, _, ctx) => loadFeed(signedIn(ctx), project.projectId),
    }),
  }),
});

export const CalendarNoteRef = builder.objectRef<CalendarNote>('CalendarNote').implement({
  description: 'Your note on a day. REST: an item of notes.',
  fields: (t) => ({
    notesId: t.expose('notesId', { type: 'SafeInt', description: 'REST: notes_id.' }),
    date: t.field({
      type: 'LocalDate',
      description: 'Day. REST: the key.',
      resolve: (note) => isoDay(note.date),
    }),
    note: t.exposeString('note', { description: 'Text. REST: note.' }),
  }),
});

export const MonthlyNoteRef = builder.objectRef<MonthlyNote>('MonthlyNote').implement({
  description:
    'A note for a month, by you or, for everybody, by an administrator. REST: an item of monthly_notes.',
  fields: (t) => ({
    notesId: t.expose('notesId', { type: 'SafeInt', description: 'REST: notes_id.' }),
    year: t.int({
      description: 'Year. REST: in the key, yyyyMM.',
      resolve: (note) => Number(note.month.slice(0, 4)),
    }),
    month: t.int({
      description: 'Month, 1 to 12. REST: in the key, yyyyMM.',
      resolve: (note) => Number(note.month.slice(4)),
    }),
    note: t.exposeString('note', { description: 'Text. REST: note.' }),
    forEveryone: t.exposeBoolean('forEveryone', {
      description: 'Whether it is for everybody in the domain.',
    }),
  }),
});

const LeadershipCalendarRef = builder
  .objectRef<LeadershipCalendar>('LeadershipCalendar')
  .implement({
    description: 'REST: leadership_data.',
    fields: (t) => ({
      projects: t.expose('projects', {
        type: [LeadershipProjectRef],
        extensions: costs({ rows: 1000 }),
        description: 'Ordered by start. REST: leadership_calender_project_data (sic).',
      }),
      categories: t.expose('categories', {
        type: [LeadershipCategory],
        extensions: costs({ rows: 20 }),
        description: 'REST: leadership_categories.',
      }),
      legends: t.expose('legends', {
        type: [LeadershipLegendRef],
        extensions: costs({ rows: 20 }),
        description: 'REST: leadership_admin_legend_details.',
      }),
      notes: t.expose('notes', {
        type: [CalendarNoteRef],
        extensions: costs({ rows: 100 }),
        description: 'Your notes of the period. REST: notes.',
      }),
      monthlyNotes: t.expose('monthlyNotes', {
        type: [MonthlyNoteRef],
        extensions: costs({ rows: 20 }),
        description: 'Monthly notes of the period. REST: monthly_notes.',
      }),
      truncated: t.exposeBoolean('truncated', {
        description: 'True when more than 5,000 projects match: narrow the filter.',
      }),
    }),
  });

builder.objectField(ViewerRef, 'leadershipCalendar', (t) =>
  t.field({
    type: LeadershipCalendarRef,
    extensions: costs({ weight: 100 }),
    description:
      'Projects of your unit and departments in a month or a year. REST: /task/v1/calendar/leadership.',
    args: {
      type: t.arg({ type: LeadershipCalendarType, required: true, description: 'REST: cal_type.' }),
      month: t.arg.int({
        required: true,
        description: '1 to 12; validated but not used with ANNUAL. REST: month_no.',
      }),
      year: t.arg.int({ required: true, description: 'REST: year.' }),
      filter: t.arg({ type: LeadershipFilterInput, description: 'Filter of the calendar.' }),
    },
    resolve: (_, args, ctx) => readLeadershipCalendar(signedIn(ctx), args),
  }),
);
