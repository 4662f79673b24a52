import type * as z from 'zod';
import { ValidationError } from '../../core/errors.ts';
import { readValues } from '../../core/rest/request-schema.ts';
import { taskRequest } from './task-parameters.ts';

/** A checked request for a new task. */
export type NewTask = z.output<typeof taskRequest>;

/** Unknown field names; they are ignored, or refused in strict handling. */
export function unknownFields(input: unknown): string[] {
  return typeof input === 'object' && input !== null
    ? Object.keys(input).filter((name) => !Object.hasOwn(taskRequest.shape, name))
    : [];
}

/** How long ago a task may have expired, in milliseconds: clocks differ (D-76). */
const TOLERANCE = 60_000;

/** Reads the fields of a task (D-74 to D-76). Throws ValidationError with every problem. */
export function parseTask(input: unknown, options: { now: number; strict: boolean }): NewTask {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ValidationError([
      { path: ['input'], message: 'must be a JSON object', code: 'WRONG_TYPE' },
    ]);
  }
  const given = new Map<string, unknown>(Object.entries(input));
  const { values, problems } = readValues(taskRequest, (name) => given.get(name));
  const expiry = taskRequest.shape.expiryTime.safeParse(given.get('expiryTime')).data ?? null;
  if (expiry !== null && expiry < options.now - TOLERANCE)
    problems.push({ path: ['expiryTime'], message: 'is in the past', code: 'EXPIRY_IN_PAST' });
  const strangers = (options.strict ? unknownFields(input) : []).map((name) => ({
    path: [name.slice(0, 100)],
    message: 'is not a field of a task',
    code: 'UNKNOWN_FIELD',
  }));
  const all = [...problems, ...strangers];
  if (!values || all.length > 0)
    throw new ValidationError(all.map((one) => ({ ...one, path: ['input', ...one.path] })));
  return values;
}
