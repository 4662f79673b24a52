import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import type { Day } from '../../core/time/days.ts';
import { loadFeed } from '../feeds/load-feeds.ts';
import { FeedRef } from '../feeds/schema-feed.ts';
import type { CalendarProject } from './list-calendar-projects.ts';
import type { CalendarWalk } from './list-calendar-walks.ts';

/** A day as GraphQL writes it: yyyy-MM-dd. */
export const isoDay = (day: Day): string => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
const isoDayOrNull = (day: Day | null): string | null => (day === null ? null : isoDay(day));

export const CalendarProjectRef = builder.objectRef<CalendarProject>('CalendarProject').implement({
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
      resolve: (project, _, ctx) => loadFeed(signedIn(ctx), project.projectId),
    }),
  }),
});

export const CalendarWalkRef = builder.objectRef<CalendarWalk>('CalendarWalk').implement({
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
      description:
        'Names of the assigned people, or else of departments, or else of units. REST: assigned_to.',
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
      resolve: (walk, _, ctx) => loadFeed(signedIn(ctx), walk.projectId),
    }),
  }),
});
