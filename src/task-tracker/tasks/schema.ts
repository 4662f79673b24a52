import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionArgs, connectionType } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { loadFeed } from '../../task-execution/feeds/load-feeds.ts';
import { FeedRef } from '../../task-execution/feeds/schema-feed.ts';
import type { ExternalTask } from './external-task.ts';
import { listUnassignedTasks } from './list-unassigned-tasks.ts';
import { loadExternalTask, loadTaskOfFeed } from './load-external-task.ts';

export const TaskStatusEnum = builder.enumType('ExternalTaskStatus', {
  description: 'Status of a task, which follows its feed. Only TODO can be set on creation.',
  values: {
    TODO: { description: 'Nobody has begun: the feed is new or reviewed.' },
    IN_PROGRESS: { description: 'The feed is in progress.' },
    DONE: { description: 'The feed is completed.' },
    CLOSED: { description: 'The feed was force-closed.' },
    EXPIRED: { description: 'The expiry time came first.' },
  } as const,
});

export const TaskPriorityEnum = builder.enumType('ExternalTaskPriority', {
  description: 'Priority of a task; 1, 2, 3 on its feed.',
  values: {
    HIGH: { description: 'Before all others; 1 on its feed.' },
    MEDIUM: { description: '2 on its feed.' },
    LOW: { description: 'When there is time; 3 on its feed.' },
  } as const,
});

export const ExternalTaskRef = builder.objectRef<ExternalTask>('ExternalTask');

builder.node(ExternalTaskRef, {
  description: 'A task that came from outside. People work on it through its feed.',
  id: { resolve: (task) => task.id, description: 'Opaque global id.' },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadExternalTask(ctx, id),
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'Id of the REST paths. REST: id.',
      resolve: ({ id }) => id,
    }),
    name: t.exposeString('name', { description: 'Name of the task.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What is to be done, as it was sent.',
    }),
    status: t.expose('status', { type: TaskStatusEnum, description: 'Status of its feed.' }),
    priority: t.expose('priority', {
      type: TaskPriorityEnum,
      description: 'Priority as it was sent.',
    }),
    assignedTo: t.exposeString('assignedTo', {
      nullable: true,
      description: 'Login it is meant for, also when nobody has it.',
    }),
    assignedGroup: t.exposeString('assignedGroup', {
      nullable: true,
      description: 'Group it is meant for, also when there is none of that name.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'Name of the supervisor, as it was sent.',
    }),
    executedBy: t.exposeString('executedBy', {
      nullable: true,
      description: 'Name of the associate, as it was sent.',
    }),
    storeName: t.exposeString('storeName', {
      nullable: true,
      description: 'Name of the store, as it was sent.',
    }),
    expiryTime: t.expose('expiryTime', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the feed; then the task expires.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    feedKey: t.expose('feedKey', { type: 'SafeInt', description: 'Key of its feed.' }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description:
        'The feed through which people work on it; null when you may not see it, as customers may not.',
      resolve: ({ feedKey }, _, ctx) => (ctx.viewer ? loadFeed(signedIn(ctx), feedKey) : null),
    }),
  }),
});

export const { connection: ExternalTaskConnection, edge: ExternalTaskEdge } =
  connectionType<ExternalTask>('ExternalTask', ExternalTaskRef);

builder.objectField(FeedRef, 'externalTask', (t) =>
  t.field({
    type: ExternalTaskRef,
    nullable: true,
    description: 'Set when the feed came from the external task tracker.',
    resolve: (feed, _, ctx) => loadTaskOfFeed(ctx, feed.feedKey),
  }),
);

builder.objectField(ViewerRef, 'unassignedExternalTasks', (t) =>
  t.field({
    type: ExternalTaskConnection,
    description:
      'Tasks from outside that wait for a supervisor of your unit or of no unit; the oldest first, 20 a page unless asked otherwise. Needs the permission SUPERVISOR.',
    args: connectionArgs,
    resolve: (_, args, ctx) => listUnassignedTasks(ctx, pageFromConnectionArgs(args)),
  }),
);
