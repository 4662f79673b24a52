import { AppError } from '../../core/errors.ts';
import { ignoredHeaders, prefersStrict } from '../../core/rest/parameters.ts';
import { describeParameters } from '../../core/rest/describe-parameters.ts';
import { jsonAnswer, type Route } from '../../core/rest/route.ts';
import { idempotencyKey, idempotencyKeyOf, readJson, readQuery } from '../body-parameters.ts';
import { createExternalTask } from './create-external-task.ts';
import { explainNewTask, explainTask } from './explain-tasks.ts';
import { externalTask, type ExternalTask } from './external-task.ts';
import { loadExternalTask } from './load-external-task.ts';
import { unknownFields } from './parse-task.ts';
import { taskRequest } from './task-parameters.ts';

const shape = externalTask.meta({
  id: 'ExternalTask',
  description: 'A task with the status of its feed.',
});

const example: ExternalTask = {
  id: '7a3f0f9e-4a53-4c8e-9d0a-2f6c1f0b8a11',
  name: 'Restock the oat milk',
  description: null,
  status: 'TODO',
  priority: 'HIGH',
  assignedTo: 'associate',
  assignedGroup: null,
  createdBy: 'Jörg Köhler',
  executedBy: null,
  storeName: null,
  expiryTime: '2027-01-31T17:00:00.000Z',
  createdAt: '2026-11-20T12:00:00.000Z',
  feedKey: 900061,
};

export const externalTaskRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/task-tracker-external/tasks',
    operation: 'createExternalTask',
    family: 'tracker',
    summary: 'Creates a task and the feed through which people work on it.',
    parameters: [...describeParameters(taskRequest), idempotencyKey],
    body: { mediaTypes: ['application/json'] },
    answer: jsonAnswer(shape, example, {
      status: 201,
      headers: {
        Location: 'Where the task can be read.',
        'Idempotent-Replayed': 'true when the key came before.',
      },
    }),
    errors: ['E900'],
    auth: 'customer',
    run: async (ctx, request) => {
      const { ignored } = await readQuery(request);
      const input = await readJson(request);
      const strict = prefersStrict(request);
      const { answer, replayed } = await createExternalTask(ctx, {
        input,
        strict,
        idempotencyKey: idempotencyKeyOf(request),
      });
      const headers = {
        location: `${ctx.config.basePath}/api/task-tracker-external/tasks/${answer.id}`,
        ...(replayed && { 'idempotent-replayed': 'true' }),
        ...ignoredHeaders([...ignored.map(({ name }) => name), ...unknownFields(input)], strict),
      };
      return { status: 201, headers, body: JSON.stringify(answer) };
    },
    explain: explainNewTask,
  },
  {
    method: 'GET',
    path: '/api/task-tracker-external/tasks/{id}',
    operation: 'getExternalTask',
    family: 'tracker',
    summary: 'The task as it is now: where Location points after it was created.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        schema: { type: 'string', format: 'uuid' },
        description: 'Id of the task.',
      },
    ],
    answer: jsonAnswer(shape, example),
    mayBeMissing: true,
    auth: 'customer',
    run: async (ctx, request) => {
      const { headers } = await readQuery(request);
      const task = await loadExternalTask(ctx, request.path['id'] ?? '');
      if (!task) throw new AppError('E404', { status: 404, message: 'Task not found' });
      return { headers, body: JSON.stringify(task) };
    },
    explain: explainTask,
  },
];
