import * as z from 'zod';
import { ValidationError } from '../../core/errors.ts';
import { Fault, readBy } from '../../core/rest/parameter-values.ts';
import { fold } from '../../core/text.ts';
import { readText } from '../read-text.ts';

/** Most titles in one request. */
const MAX_TITLES = 500;

const title = readBy(
  (sent) => {
    const trimmed = typeof sent === 'string' ? sent.trim() : sent;
    return trimmed === '' ? new Fault('is required', 'REQUIRED') : readText(trimmed, 200);
  },
  { type: 'string', minLength: 1, maxLength: 200 },
);

/** The body of a request. */
export const titlesRequest = z
  .array(title, 'must be an array of strings')
  .min(1, 'must not be empty')
  .max(MAX_TITLES, `must not hold more than ${MAX_TITLES} titles`);

/** Error codes by kind of problem with the array. */
const codes: Readonly<Record<string, string>> = {
  invalid_type: 'WRONG_TYPE',
  too_small: 'REQUIRED',
  too_big: 'TOO_MANY',
};

/**
 * Reads the titles of templates, trimmed, keyed by their folds: duplicates are merged into the first (D-79). Throws
 * ValidationError with every problem.
 */
export function parseTitles(sent: unknown): Map<string, string> {
  const read = titlesRequest.safeParse(sent);
  if (!read.success) {
    const { issues } = read.error;
    const ofArray = issues.filter(({ path }) => path.length === 0);
    throw new ValidationError(
      (ofArray.length > 0 ? ofArray : issues).map((issue) => ({
        path: ['input', 'titles', ...issue.path.map(String)],
        message: issue.message,
        code: issue.code === 'custom' ? String(issue.params?.['code']) : (codes[issue.code] ?? ''),
      })),
    );
  }
  const byFold = new Map<string, string>();
  for (const title of read.data) if (!byFold.has(fold(title))) byFold.set(fold(title), title);
  return byFold;
}
