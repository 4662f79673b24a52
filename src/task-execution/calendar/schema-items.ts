import { builder } from '../../core/graphql/builder.ts';
import { isoDay, type Day } from '../../core/time/days.ts';
import type { CalendarProject } from './list-calendar-projects.ts';
import type { CalendarWalk } from './list-calendar-walks.ts';
import { itemFields } from './schema-item-fields.ts';

const isoDayOrNull = (day: Day | null): string | null => (day === null ? null : isoDay(day));

export const CalendarProjectRef = builder.objectRef<CalendarProject>('CalendarProject').implement({
  description: 'A project of a calendar. REST: an item of project_data.',
  fields: (t) => ({
    ...itemFields(t, 'project'),
    projectTypeDesc: t.exposeString('projectTypeDesc', {
      nullable: true,
      description: 'Name of its feed type; null if it has none. REST: project_type_desc.',
    }),
    icon: t.exposeString('icon', {
      nullable: true,
      description: 'Icon, as configured; null if it has none. REST: icon.',
    }),
    startDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description:
        'First day; the suggested one in STORE_SUGGESTED_DATE_PROJECTS; null if it has none. REST: start_date.',
      resolve: (project) => isoDayOrNull(project.startDate),
    }),
    endDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description:
        'Last day; the suggested one in STORE_SUGGESTED_DATE_PROJECTS; null if it has none. REST: end_date.',
      resolve: (project) => isoDayOrNull(project.endDate),
    }),
    priority: t.exposeInt('priority', {
      nullable: true,
      description: 'Number of the priority; null if it has none. REST: priority.',
    }),
    isOverdue: t.exposeBoolean('isOverdue', {
      description: 'Whether it is overdue. REST: is_overdue.',
    }),
    isCompleted: t.exposeBoolean('isCompleted', {
      description: 'Whether it is completed. REST: is_completed.',
    }),
    isConfidential: t.exposeBoolean('isConfidential', {
      description:
        'Whether only users whose home department is that of the project may see it. REST: is_confidential.',
    }),
    isEdited: t.exposeBoolean('isEdited', {
      description: 'Whether it was edited after its launch. REST: is_edited.',
    }),
    hasSurvey: t.exposeBoolean('hasSurvey', {
      description: 'Whether a survey is attached. REST: has_survey.',
    }),
    hasAttachment: t.exposeBoolean('hasAttachment', {
      description: 'Whether a file is attached. REST: has_attachment.',
    }),
    assignedRole: t.exposeString('assignedRole', {
      nullable: true,
      description:
        'Role in which it is assigned, to you if it is, else to the first assignee; null if it is assigned to nobody. REST: assigned_role.',
    }),
  }),
});

export const CalendarWalkRef = builder.objectRef<CalendarWalk>('CalendarWalk').implement({
  description: 'A store walk of a calendar. REST: an item of project_data.',
  fields: (t) => ({
    ...itemFields(t, 'walk'),
    assignedTo: t.exposeString('assignedTo', {
      nullable: true,
      description:
        'Names of the assigned people, or else of departments, or else of units; null if it is assigned to nobody. REST: assigned_to.',
    }),
    startDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'First day; null if it has none. REST: start_date.',
      resolve: (walk) => isoDayOrNull(walk.startDate),
    }),
    endDate: t.field({
      type: 'LocalDate',
      nullable: true,
      description: 'Last day; null if it has none. REST: end_date.',
      resolve: (walk) => isoDayOrNull(walk.endDate),
    }),
  }),
});
