import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { isoDay } from '../../core/time/days.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { itemFields } from '../calendar/schema-item-fields.ts';
import type { CalendarNote, MonthlyNote } from './list-notes.ts';
import { type LeadershipCalendar, readLeadershipCalendar } from './read-leadership-calendar.ts';
import { fourDigits } from './leadership-period.ts';
import type { LeadershipLegend, LeadershipProject } from './leadership-project.ts';
import { costs } from '../../core/graphql/field-cost.ts';

const LeadershipCalendarType = builder.enumType('LeadershipCalendarType', {
  description: 'Length of the period of a leadership calendar. REST: cal_type.',
  values: {
    MONTHLY: { value: 'M', description: 'One month. REST: M.' },
    ANNUAL: { value: 'A', description: 'One year. REST: A.' },
  } as const,
});

const LeadershipFilterInput = builder.inputType('LeadershipFilter', {
  description:
    'Which projects a leadership calendar shows. All restrictions count together; null or an omitted field is no restriction, and an empty list matches nothing. Every field is one documented REST parameter.',
  fields: (t) => ({
    projectTypeIds: t.stringList({
      description: 'Ids of feed types, any of them. REST: project_type_id.',
    }),
    execLevels: t.intList({
      description: 'Levels of the executors, any of them. REST: exec_level.',
    }),
    assignments: t.intList({
      description:
        'Numbers of departments to which a project is assigned, any of them. REST: assignments.',
    }),
    viewUnits: t.intList({
      description: 'Numbers of units (stores), any of them. REST: view_unit.',
    }),
    projectTitle: t.string({
      description: 'Substring of the title, ignoring case. REST: project_title.',
    }),
    legendTypes: t.intList({
      description: 'Numbers of types of legends, any of them. REST: legend_type.',
    }),
    priorities: t.intList({ description: 'Numbers of priorities, any of them. REST: priority.' }),
    showOnlyMyProjects: t.boolean({
      defaultValue: false,
      description:
        'Whether to show only projects of my view, instead of those of my unit and departments. REST: show_only_my_projects.',
    }),
    showFieldProjects: t.boolean({
      defaultValue: false,
      description: 'Whether to show projects below other projects, too. REST: show_field_projects.',
    }),
  }),
});

const LeadershipCategory = builder
  .objectRef<LeadershipCalendar['categories'][number]>('LeadershipCategory')
  .implement({
    description: 'A heading of the leadership calendar. REST: an item of leadership_categories.',
    fields: (t) => ({
      categoryId: t.exposeID('id', { description: 'Number of the category. REST: id.' }),
      id: t.exposeID('id', {
        description: 'Number of the category.',
        deprecationReason: 'Use categoryId, which has the same value: this is no global id.',
      }),
      name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    }),
  });

const LeadershipLegendRef = builder.objectRef<LeadershipLegend>('LeadershipLegend').implement({
  description: 'A colour and its meaning. REST: an item of leadership_admin_legend_details.',
  fields: (t) => ({
    legendId: t.exposeID('id', { description: 'Number of the legend. REST: id, legend_id.' }),
    id: t.exposeID('id', {
      description: 'Number of the legend.',
      deprecationReason: 'Use legendId, which has the same value: this is no global id.',
    }),
    name: t.exposeString('name', { description: 'Name for display. REST: name.' }),
    color: t.exposeString('color', { description: 'CSS colour. REST: color.' }),
  }),
});

const LeadershipProjectRef = builder.objectRef<LeadershipProject>('LeadershipProject').implement({
  description:
    'A project that overlaps the period. REST: an item of leadership_calender_project_data (sic).',
  fields: (t) => ({
    ...itemFields(t, 'project'),
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
      description:
        'Number of days from start to end, both included, even outside the period. REST: span.',
    }),
    priority: t.exposeInt('priority', {
      nullable: true,
      description: 'Number of the priority; null if it has none. REST: priority.',
    }),
    legend: t.expose('legend', {
      type: LeadershipLegendRef,
      nullable: true,
      description:
        'Colour in which to show it, with its meaning; null if it has none. REST: legend_id.',
    }),
  }),
});

export const CalendarNoteRef = builder.objectRef<CalendarNote>('CalendarNote').implement({
  description: 'Your note on a day. REST: an item of notes.',
  fields: (t) => ({
    notesId: t.expose('notesId', {
      type: 'SafeInt',
      description: 'Number of the note. REST: notes_id.',
    }),
    date: t.field({
      type: 'LocalDate',
      description: 'Day of the note. REST: the key, yyyyMMdd.',
      resolve: (note) => isoDay(note.date),
    }),
    note: t.exposeString('note', { description: 'Text of the note. REST: note.' }),
  }),
});

export const MonthlyNoteRef = builder.objectRef<MonthlyNote>('MonthlyNote').implement({
  description:
    'A note for a month, by you or, for everybody, by an administrator. REST: an item of monthly_notes.',
  fields: (t) => ({
    notesId: t.expose('notesId', {
      type: 'SafeInt',
      description: 'Number of the note. REST: notes_id.',
    }),
    year: t.int({
      description: 'Year of the note. REST: in the key, yyyyMM.',
      resolve: (note) => Number(note.month.slice(0, 4)),
    }),
    month: t.int({
      description: 'Month of the note, 1 to 12. REST: in the key, yyyyMM.',
      resolve: (note) => Number(note.month.slice(4)),
    }),
    note: t.exposeString('note', { description: 'Text of the note. REST: note.' }),
    forEveryone: t.exposeBoolean('forEveryone', {
      description: 'Whether everybody in the domain sees it, or only you.',
    }),
  }),
});

const LeadershipCalendarRef = builder
  .objectRef<LeadershipCalendar>('LeadershipCalendar')
  .implement({
    description: 'Projects of a month or a year, with notes and legends. REST: leadership_data.',
    fields: (t) => ({
      projects: t.expose('projects', {
        type: [LeadershipProjectRef],
        extensions: costs({ rows: 1000 }),
        description:
          'The projects that overlap the period, ordered by start. REST: leadership_calender_project_data (sic).',
      }),
      categories: t.expose('categories', {
        type: [LeadershipCategory],
        extensions: costs({ rows: 20 }),
        description: 'Headings of the calendar, in display order. REST: leadership_categories.',
      }),
      legends: t.expose('legends', {
        type: [LeadershipLegendRef],
        extensions: costs({ rows: 20 }),
        description:
          'Colours of projects and what they mean. REST: leadership_admin_legend_details.',
      }),
      notes: t.expose('notes', {
        type: [CalendarNoteRef],
        extensions: costs({ rows: 100 }),
        description: 'Your notes of the period. REST: notes.',
      }),
      monthlyNotes: t.expose('monthlyNotes', {
        type: [MonthlyNoteRef],
        extensions: costs({ rows: 20 }),
        description:
          'Notes for the months of the period, yours and those for everybody. REST: monthly_notes.',
      }),
      truncated: t.exposeBoolean('truncated', {
        description:
          'Whether projects are missing because more than 5,000 match: narrow the filter.',
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
      type: t.arg({
        type: LeadershipCalendarType,
        required: true,
        description: 'Length of the period. REST: cal_type.',
      }),
      month: t.arg.int({
        required: true,
        description:
          'Month of the period, 1 to 12; checked but not used with ANNUAL. REST: month_no.',
      }),
      year: t.arg.int({
        required: true,
        description: 'Year of the period, four digits. REST: year.',
      }),
      filter: t.arg({
        type: LeadershipFilterInput,
        description: 'Which projects to show; by default those of your unit and departments.',
      }),
    },
    resolve: (_, args, ctx) =>
      readLeadershipCalendar(signedIn(ctx), { ...args, year: fourDigits(args.year) }),
  }),
);
