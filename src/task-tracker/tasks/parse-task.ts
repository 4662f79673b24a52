import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import { parseTime } from '../../core/records/parse-time.ts';
import { checkText } from '../check-text.ts';
import { taskPriorities, type TaskPriority } from './external-task.ts';
import { taskParameters } from './task-parameters.ts';

/** A task as it is asked for, checked. */
export interface NewTask {
  name: string;
  description: string | null;
  priority: TaskPriority;
  assignedTo: string | null;
  assignedGroup: string | null;
  createdBy: string | null;
  executedBy: string | null;
  storeName: string | null;
  /** Epoch milliseconds. */
  expiryTime: number | null;
}

const taskFields: ReadonlySet<string> = new Set(taskParameters.map(({ name }) => name));

/** Names that are no fields of a task; they are ignored, or refused in strict handling. */
export function unknownFields(input: unknown): string[] {
  return typeof input === 'object' && input !== null
    ? Object.keys(input).filter((name) => !taskFields.has(name))
    : [];
}

/** A task may have expired so long ago, in milliseconds: clocks differ (D-76). */
const TOLERANCE = 60_000;

/** Reads the fields of a task (D-74 to D-76). Null and blank text count as left out. Throws ValidationError with every problem. */
export function parseTask(input: unknown, options: { now: number; strict: boolean }): NewTask {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ValidationError([
      { path: ['input'], message: 'must be a JSON object', code: 'WRONG_TYPE' },
    ]);
  }
  const given = new Map<string, unknown>(Object.entries(input));
  const problems: FieldProblem[] = [];
  const problem = (field: string, fault: Omit<FieldProblem, 'path'>): null => {
    problems.push({ path: ['input', field], ...fault });
    return null;
  };
  const text = (field: string, maximum: number): string | null => {
    const value = given.get(field) ?? null;
    if (value === null) return null;
    const fault = checkText(value, maximum);
    if (fault || typeof value !== 'string') return fault ? problem(field, fault) : null;
    return value.trim() === '' ? null : value;
  };
  const expiry = (): number | null => {
    const value = text('expiryTime', 100);
    if (value === null) return null;
    const millis = parseTime(value, 'UTC');
    if (millis === undefined)
      return problem('expiryTime', {
        message: 'must be an ISO 8601 time such as 2027-01-31T17:00:00Z',
        code: 'INVALID_TIME',
      });
    if (!/(Z|[+-]\d{2}:?\d{2})$/.test(value))
      return problem('expiryTime', {
        message: 'must end with Z or an offset from UTC',
        code: 'ZONE_REQUIRED',
      });
    if (millis < options.now - TOLERANCE)
      return problem('expiryTime', { message: 'is in the past', code: 'EXPIRY_IN_PAST' });
    return millis;
  };
  const priority = (): TaskPriority => {
    const value = given.get('priority') ?? 'MEDIUM';
    const known = taskPriorities.find((name) => name === value);
    if (known === undefined)
      problem('priority', {
        message: `Allowed values: ${taskPriorities.join(', ')}`,
        code: 'NOT_ALLOWED',
      });
    return known ?? 'MEDIUM';
  };

  const named = problems.length;
  const name = text('name', 200)?.trim() ?? '';
  if (name === '' && problems.length === named)
    problem('name', { message: 'is required', code: 'REQUIRED' });
  const description = text('description', 10_000);
  if ((given.get('status') ?? 'TODO') !== 'TODO')
    problem('status', { message: 'Only allowed value: TODO', code: 'NOT_ALLOWED' });
  const task: NewTask = {
    name,
    description,
    priority: priority(),
    assignedTo: text('assignedTo', 200),
    assignedGroup: text('assignedGroup', 200),
    createdBy: text('createdBy', 200),
    executedBy: text('executedBy', 200),
    storeName: text('storeName', 200),
    expiryTime: expiry(),
  };
  if (options.strict) {
    for (const field of unknownFields(input))
      problem(field.slice(0, 100), { message: 'is not a field of a task', code: 'UNKNOWN_FIELD' });
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return task;
}
