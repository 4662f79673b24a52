import type { FieldProblem } from '../../core/errors.ts';
import { ValidationError } from '../../core/errors.ts';
import { isLonger, isStorable } from '../../core/text.ts';

/** Why a name can't be used, if it can't. */
export function faultOfName(
  name: string,
): { message: string; code: 'NAME_REQUIRED' | 'NAME_TOO_LONG' | 'VALIDATION_ERROR' } | undefined {
  if (name.trim() === '') return { message: 'name is required', code: 'NAME_REQUIRED' };
  if (isLonger(name, 200))
    return { message: 'name has more than 200 characters', code: 'NAME_TOO_LONG' };
  return isStorable(name)
    ? undefined
    : { message: 'name holds characters that can not be stored', code: 'VALIDATION_ERROR' };
}

/**
 * The trimmed name and the description in the input. Throws ValidationError with every problem (NAME_REQUIRED,
 * NAME_TOO_LONG).
 */
export function checkNaming<T extends { name: string; description?: string }>(given: T): T {
  const name = given.name.trim();
  const problems: FieldProblem[] = [];
  const fault = faultOfName(name);
  if (fault) problems.push({ path: ['name'], ...fault });
  if (
    given.description !== undefined &&
    (isLonger(given.description, 10_000) || !isStorable(given.description))
  ) {
    problems.push({
      path: ['description'],
      message: 'description has more than 10000 characters or some that can not be stored',
      code: 'VALIDATION_ERROR',
    });
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return { ...given, name };
}
