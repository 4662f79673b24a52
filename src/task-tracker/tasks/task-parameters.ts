import * as z from 'zod';
import { describeImpossibleDay, isOfOtherYears, parseTime } from '../../core/records/parse-time.ts';
import { Fault, readBy } from '../../core/rest/parameter-values.ts';
import { parameter, type ParameterTable } from '../../core/rest/request-schema.ts';
import type { ValueSchema } from '../../core/rest/route.ts';
import { addDays, isoDay } from '../../core/time/days.ts';
import { readText } from '../read-text.ts';
import { taskPriorities, type TaskPriority } from './external-task.ts';

function field<Value>(
  read: (sent: unknown) => Value | Fault,
  schema: ValueSchema,
  description: string,
  more: Pick<ParameterTable, 'required' | 'example'> = {},
): z.ZodType<Value> {
  return parameter(readBy(read, { type: 'string', ...schema }), {
    in: 'body',
    description,
    ...more,
  });
}

/** Null and blank text count as left out. */
function optionalText(sent: unknown, maximum: number): string | null | Fault {
  if (sent === undefined || sent === null) return null;
  const text = readText(sent, maximum);
  return text instanceof Fault || text.trim() !== '' ? text : null;
}

function text(description: string, example?: string, maxLength = 200): z.ZodType<string | null> {
  const read = (sent: unknown): string | null | Fault => optionalText(sent, maxLength);
  return field(read, { maxLength }, description, { ...(example !== undefined && { example }) });
}

function readName(sent: unknown): string | Fault {
  const name = optionalText(typeof sent === 'string' ? sent.trim() : sent, 200);
  return name ?? new Fault('is required', 'REQUIRED');
}

function readStatus(sent: unknown): 'TODO' | Fault {
  return (sent ?? 'TODO') === 'TODO'
    ? 'TODO'
    : new Fault('Only allowed value: TODO', 'NOT_ALLOWED');
}

function readPriority(sent: unknown): TaskPriority | Fault {
  const known = taskPriorities.find((name) => name === (sent ?? 'MEDIUM'));
  return known ?? new Fault(`Allowed values: ${taskPriorities.join(', ')}`, 'NOT_ALLOWED');
}

/**
 * ISO 8601 also has a basic format without separators, a comma before the fraction and offsets of hours alone; RFC 3339
 * has small letters. This writes them as `2030-01-31T17:00:00.5+02:00`.
 */
function inOneForm(text: string): string {
  return text
    .toUpperCase()
    .replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6')
    .replace(/(:\d\d),(\d)/, '$1.$2')
    .replace(/^([^T]*T.*[+-]\d\d)$/, '$1:00');
}

/** Epoch milliseconds. */
function readExpiry(sent: unknown): number | null | Fault {
  const given = optionalText(sent, 100);
  if (given === null || given instanceof Fault) return given;
  const text = inOneForm(given);
  const millis = parseTime(text, 'UTC');
  if (millis === undefined)
    return new Fault(
      isOfOtherYears(text)
        ? 'must be in the years 1900 to 9998; leave it out for a task that never expires'
        : (describeImpossibleDay(text) ?? 'must be an ISO 8601 time such as 2030-01-31T17:00:00Z'),
      'INVALID_TIME',
    );
  if (!/(Z|[+-]\d{2}:?\d{2})$/.test(text))
    return new Fault('must end with Z or an offset from UTC', 'ZONE_REQUIRED');
  return millis;
}

/** The documented fields of a new task (D-74 to D-76). */
export const taskRequest = z.object({
  name: field(readName, { minLength: 1, maxLength: 200 }, 'Task name.', {
    required: true,
    example: 'Restock the oat milk',
  }),
  description: text('Description.', undefined, 10_000),
  status: field(readStatus, { enum: ['TODO'], default: 'TODO' }, 'Only allowed value: TODO.'),
  priority: field(readPriority, { enum: taskPriorities, default: 'MEDIUM' }, 'Priority.', {
    example: 'HIGH',
  }),
  assignedTo: text(
    'Login name of the user that it is meant for. With neither this nor assignedGroup, a supervisor assigns it later.',
    'associate',
  ),
  assignedGroup: text('Group that it is meant for.'),
  createdBy: text('Name of the supervisor.', 'Jörg Köhler'),
  executedBy: text('Name of the associate.'),
  storeName: text('Name of the store.'),
  expiryTime: field(
    readExpiry,
    { format: 'date-time' },
    'ISO 8601, UTC: then the task expires. At most in the year 9998.',
    {
      example: (today) => `${isoDay(addDays(today, 60))}T17:00:00Z`,
    },
  ),
});
