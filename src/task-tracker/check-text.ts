import type { FieldProblem } from '../core/errors.ts';
import { isStorable } from '../core/text.ts';

/** What is wrong with a text of the task tracker; undefined for a good one. Lengths count characters, not UTF-16 units. */
export function checkText(value: unknown, maximum: number): Omit<FieldProblem, 'path'> | undefined {
  if (typeof value !== 'string') return { message: 'must be a string', code: 'WRONG_TYPE' };
  if (!isStorable(value))
    return { message: 'holds a NUL or half a surrogate pair', code: 'UNUSABLE_TEXT' };
  if (value.length > maximum && [...value].length > maximum)
    return { message: `must not be longer than ${maximum} characters`, code: 'TOO_LONG' };
  return undefined;
}
