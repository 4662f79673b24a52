import type { FieldProblem } from '../../core/errors.ts';
import { ValidationError } from '../../core/errors.ts';
import { isLonger, isStorable } from '../../core/text.ts';

/**
 * The trimmed name and the description in the input. Throws ValidationError with every problem (NAME_REQUIRED,
 * NAME_TOO_LONG).
 */
export function checkNaming<T extends { name: string; description?: string }>(given: T): T {
  const name = given.name.trim();
  const problems: FieldProblem[] = [];
  if (name === '')
    problems.push({ path: ['name'], message: 'name is required', code: 'NAME_REQUIRED' });
  else if (isLonger(name, 200))
    problems.push({
      path: ['name'],
      message: 'name has more than 200 characters',
      code: 'NAME_TOO_LONG',
    });
  else if (!isStorable(name))
    problems.push({
      path: ['name'],
      message: 'name holds characters that can not be stored',
      code: 'VALIDATION_ERROR',
    });
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
