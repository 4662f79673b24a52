import type { RouteParameter } from '../../core/rest/route.ts';
import { taskPriorities } from './external-task.ts';

function field(
  name: string,
  description: string,
  more: Partial<RouteParameter> = {},
  maxLength = 200,
): RouteParameter {
  return { name, in: 'body', description, schema: { type: 'string', maxLength }, ...more };
}

/** The documented fields of a task (task-tracker-external.md "Task"), which parseTask checks. */
export const taskParameters: readonly RouteParameter[] = [
  field('name', 'Task name.', {
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    example: 'Restock the oat milk',
  }),
  field('description', 'Description.', {}, 10_000),
  field('status', 'Only allowed value: TODO.', {
    schema: { type: 'string', enum: ['TODO'], default: 'TODO' },
  }),
  field('priority', 'Priority.', {
    schema: { type: 'string', enum: taskPriorities, default: 'MEDIUM' },
    example: 'HIGH',
  }),
  field(
    'assignedTo',
    'Login name of the user that it is meant for. With neither this nor assignedGroup, a supervisor assigns it later.',
    { example: 'associate' },
  ),
  field('assignedGroup', 'Group that it is meant for.'),
  field('createdBy', 'Name of the supervisor.', { example: 'Jörg Köhler' }),
  field('executedBy', 'Name of the associate.'),
  field('storeName', 'Name of the store.'),
  field('expiryTime', 'ISO 8601, UTC: then the task expires.', {
    schema: { type: 'string', format: 'date-time' },
    example: '2027-01-31T17:00:00Z',
  }),
];
