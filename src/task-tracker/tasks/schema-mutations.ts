import { signedIn } from '../../auth/guards.ts';
import { mutation, mutationInput, mutationPayload } from '../../core/graphql/mutations.ts';
import {
  ConflictError,
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import { onceADay, replayedByKey } from '../../core/graphql/user-errors.ts';
import { decodeGlobalId } from '../../core/global-id.ts';
import { assignExternalTask } from './assign-external-task.ts';
import { createExternalTask } from './create-external-task.ts';
import type { ExternalTask } from './external-task.ts';
import { unassignedTaskCursor } from './list-unassigned-tasks.ts';
import { ExternalTaskEdge, ExternalTaskRef, TaskPriorityEnum, TaskStatusEnum } from './schema.ts';

const CreateExternalTaskInput = mutationInput('CreateExternalTaskInput', {
  description: 'A task to create. Fields and rules are those of REST.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'Name of the task, 1 to 200 characters. REST: name.',
    }),
    description: t.string({
      description: 'Description, at most 10,000 characters. REST: description.',
    }),
    status: t.field({
      type: TaskStatusEnum,
      required: true,
      defaultValue: 'TODO',
      description: 'Initial status, which can only be TODO. REST: status.',
    }),
    priority: t.field({
      type: TaskPriorityEnum,
      required: true,
      defaultValue: 'MEDIUM',
      description: 'Priority, shown on the feed as 1 to 3. REST: priority.',
    }),
    assignedTo: t.string({
      description: 'Login of the user to whom to assign it; may be omitted. REST: assignedTo.',
    }),
    assignedGroup: t.string({
      description:
        'Name of the group (department) to which to assign it; may be omitted. REST: assignedGroup.',
    }),
    createdBy: t.string({
      description:
        'Name of the supervisor, only kept as data, at most 200 characters. REST: createdBy.',
    }),
    executedBy: t.string({
      description:
        'Name of the associate, only kept as data, at most 200 characters. REST: executedBy.',
    }),
    storeName: t.string({
      description: 'Name of the store (unit) that the task is for. REST: storeName.',
    }),
    expiryTime: t.field({
      type: 'DateTime',
      description:
        'When the task expires: in the future, at most in the year 9998; by default never. REST: expiryTime.',
    }),
    idempotencyKey: t.string({ description: `${onceADay} REST: header Idempotency-Key.` }),
  }),
});

interface Created {
  task: ExternalTask;
  replayed: boolean;
}

const CreateExternalTaskPayload = mutationPayload<Created>('CreateExternalTaskPayload', {
  description: 'Result of creating a task.',
  fields: (t) => ({
    task: t.expose('task', { type: ExternalTaskRef, description: 'The task as it was created.' }),
    taskEdge: t.field({
      type: ExternalTaskEdge,
      description: 'The edge of the new row, to add to unassignedExternalTasks.',
      resolve: ({ task }) => ({ node: task, cursor: unassignedTaskCursor(task) }),
    }),
    replayed: t.exposeBoolean('replayed', { description: replayedByKey }),
  }),
});

mutation('createExternalTask', {
  description:
    'Creates a task and its feed: for customers, by API-Key and customerId, and for supervisors. REST: POST /api/task-tracker-external/tasks.',
  input: CreateExternalTaskInput,
  inputIs: 'The task.',
  payload: CreateExternalTaskPayload,
  failures: [ValidationError, IdempotencyError, ForbiddenError],
  resolve: async ({ idempotencyKey, expiryTime, ...fields }, ctx) => {
    const { answer, replayed } = await createExternalTask(ctx, {
      input: { ...fields, expiryTime: expiryTime?.toISOString() },
      idempotencyKey,
    });
    return { task: answer, replayed };
  },
});

const AssignExternalTaskInput = mutationInput('AssignExternalTaskInput', {
  description: 'A task and its new assignee.',
  fields: (t) => ({
    taskId: t.id({ required: true, description: 'Global id of the task.' }),
    login: t.string({
      description: 'Login of the user to whom to assign it; omit it to assign only to a group.',
    }),
    group: t.string({
      description:
        'Name of the group (department) to which to assign it; omit it to assign only to a user.',
    }),
  }),
});

const AssignExternalTaskPayload = mutationPayload<{ task: ExternalTask }>(
  'AssignExternalTaskPayload',
  {
    description: 'Result of assigning a task.',
    fields: (t) => ({
      task: t.expose('task', { type: ExternalTaskRef, description: 'The task as it is now.' }),
    }),
  },
);

mutation('assignExternalTask', {
  description:
    'Assigns an unassigned task to a user, a group, or both. Needs the permission SUPERVISOR.',
  input: AssignExternalTaskInput,
  inputIs: 'Task and assignee.',
  payload: AssignExternalTaskPayload,
  failures: [ValidationError, NotFoundError, ConflictError, ForbiddenError],
  resolve: async (input, ctx) => ({
    task: await assignExternalTask(signedIn(ctx), {
      id: decodeGlobalId('ExternalTask', input.taskId),
      login: input.login,
      group: input.group,
    }),
  }),
});
