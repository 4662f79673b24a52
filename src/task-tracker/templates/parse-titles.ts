import { ValidationError, type FieldProblem } from '../../core/errors.ts';
import { fold } from '../../core/text.ts';
import { checkText } from '../check-text.ts';

/** Titles of one request. */
export const MAX_TITLES = 500;

/** Reads the titles of templates, trimmed, by their folds: doubles collapse into the first (D-79). Throws ValidationError with every problem. */
export function parseTitles(titles: unknown): Map<string, string> {
  const refuse = (message: string, code: string): never => {
    throw new ValidationError([{ path: ['input', 'titles'], message, code }]);
  };
  if (!Array.isArray(titles)) return refuse('must be an array of strings', 'WRONG_TYPE');
  const given: unknown[] = titles;
  if (given.length === 0) return refuse('must not be empty', 'REQUIRED');
  if (given.length > MAX_TITLES)
    return refuse(`must not hold more than ${MAX_TITLES} titles`, 'TOO_MANY');
  const problems: FieldProblem[] = [];
  const byFold = new Map<string, string>();
  for (const [index, value] of given.entries()) {
    const title = typeof value === 'string' ? value.trim() : value;
    const fault =
      title === '' ? { message: 'is required', code: 'REQUIRED' } : checkText(title, 200);
    if (fault) problems.push({ path: ['input', 'titles', String(index)], ...fault });
    else if (typeof title === 'string' && !byFold.has(fold(title))) byFold.set(fold(title), title);
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return byFold;
}
