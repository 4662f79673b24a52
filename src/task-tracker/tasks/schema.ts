import { signedIn } from '../../auth/guards.ts';
import { builder } from '../../core/graphql/builder.ts';
import { connectionType, relayPage } from '../../core/graphql/connections.ts';
import { pageFromConnectionArgs } from '../../core/lists/pagination.ts';
import { ViewerRef } from '../../core/graphql/viewer-type.ts';
import { loadFeed } from '../../task-execution/feeds/load-feeds.ts';
import { FeedRef } from '../../task-execution/feeds/schema-feed.ts';
import type { ExternalTask } from './external-task.ts';
import { listUnassignedTasks } from './list-unassigned-tasks.ts';
import { loadExternalTask, loadTaskOfFeed } from './load-external-task.ts';
import { watchUnassignedTasks } from './watch-unassigned-tasks.ts';

export const TaskStatusEnum = builder.enumType('ExternalTaskStatus', {
  description: 'Status of a task, which follows its feed. Only TODO can be set on creation.',
  values: {
    TODO: { description: 'Not started: the feed is new or reviewed.' },
    IN_PROGRESS: { description: 'The feed is in progress.' },
    DONE: { description: 'The feed is completed.' },
    CLOSED: { description: 'The feed was force-closed.' },
    EXPIRED: { description: 'The expiry time passed before it was completed.' },
  } as const,
});

export const TaskPriorityEnum = builder.enumType('ExternalTaskPriority', {
  description: 'Priority of a task; 1, 2, 3 on its feed.',
  values: {
    HIGH: { description: 'Urgent; 1 on its feed.' },
    MEDIUM: { description: 'Normal; 2 on its feed.' },
    LOW: { description: 'Not urgent; 3 on its feed.' },
  } as const,
});

export const ExternalTaskRef = builder.objectRef<ExternalTask>('ExternalTask');

builder.node(ExternalTaskRef, {
  description: 'A task of an external system. People work on it through its feed.',
  id: { resolve: (task) => task.id },
  brandLoadedObjects: true,
  loadOne: (id, ctx) => loadExternalTask(ctx, id),
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Id in the REST API. REST: id.' }),
    name: t.exposeString('name', { description: 'Name of the task. REST: name.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the task, as sent; null if none was sent. REST: description.',
    }),
    status: t.expose('status', {
      type: TaskStatusEnum,
      description: 'Status of its feed, in words of the task tracker. REST: status.',
    }),
    priority: t.expose('priority', {
      type: TaskPriorityEnum,
      description: 'Priority, as sent. REST: priority.',
    }),
    assignedTo: t.exposeString('assignedTo', {
      nullable: true,
      description:
        'Login to which it is assigned, even if no such user exists; null if to none. REST: assignedTo.',
    }),
    assignedGroup: t.exposeString('assignedGroup', {
      nullable: true,
      description:
        'Group to which it is assigned, even if no such group exists; null if to none. REST: assignedGroup.',
    }),
    createdBy: t.exposeString('createdBy', {
      nullable: true,
      description: 'Name of the supervisor, as sent; null if none was sent. REST: createdBy.',
    }),
    executedBy: t.exposeString('executedBy', {
      nullable: true,
      description: 'Name of the associate, as sent; null if none was sent. REST: executedBy.',
    }),
    storeName: t.exposeString('storeName', {
      nullable: true,
      description: 'Name of the store, as sent; null if none was sent. REST: storeName.',
    }),
    expiryTime: t.expose('expiryTime', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the task expires, which is the end of its feed; null if never. REST: expiryTime.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When it was created. REST: createdAt.',
    }),
    feedKey: t.expose('feedKey', {
      type: 'SafeInt',
      description: 'Key of its feed. REST: feedKey.',
    }),
    feed: t.field({
      type: FeedRef,
      nullable: true,
      description:
        'The feed through which people work on it; null if you may not see it. Customers never see it.',
      resolve: ({ feedKey }, _, ctx) => (ctx.viewer ? loadFeed(signedIn(ctx), feedKey) : null),
    }),
  }),
});

export const { connection: ExternalTaskConnection, edge: ExternalTaskEdge } = connectionType(
  'ExternalTask',
  ExternalTaskRef,
);

builder.objectField(FeedRef, 'externalTask', (t) =>
  t.field({
    type: ExternalTaskRef,
    nullable: true,
    description:
      'The task of an external system that this feed stands for; null for all other feeds.',
    resolve: (feed, _, ctx) => loadTaskOfFeed(signedIn(ctx), feed.feedKey),
  }),
);

builder.objectField(ViewerRef, 'unassignedExternalTasks', (t) =>
  t.connection(
    {
      type: ExternalTaskRef,
      description:
        'Unassigned external tasks of your unit, or without a known unit; oldest first, by default 20 per page. Needs the permission SUPERVISOR.',
      resolve: (_, args, ctx) =>
        relayPage(listUnassignedTasks(signedIn(ctx), pageFromConnectionArgs(args))),
    },
    ExternalTaskConnection,
  ),
);

builder.subscriptionField('unassignedExternalTasksChanged', (t) =>
  t.field({
    type: ExternalTaskConnection,
    description:
      'A page of `viewer.unassignedExternalTasks`: at once, and again within about two seconds when other tasks wait. Ends with the session, and when you are no supervisor any more or your unit changes.',
    args: t.arg.connectionArgs(),
    subscribe: async (_, args, ctx) => {
      pageFromConnectionArgs(args);
      return watchUnassignedTasks(signedIn(ctx));
    },
    // From the primary: a replica may not have yet what has changed.
    resolve: (_, args, ctx) =>
      relayPage(listUnassignedTasks(signedIn(ctx), pageFromConnectionArgs(args), ctx.db)),
  }),
);
