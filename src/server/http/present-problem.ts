import { STATUS_CODES } from 'node:http';
import { ValidationError, type AppError } from '../../core/errors.ts';
import type { Reply } from '../../core/rest/route.ts';

/**
 * The error body of the task tracker: the members of RFC 9457, with every field problem at once (D-77). `type` is
 * `urn:trivium:<GraphQL code in lower case>`.
 */
export function presentProblem(error: AppError, requestId: string): Reply {
  const status = error.code === 'E404' && error.status === 200 ? 404 : error.status;
  const problems = error instanceof ValidationError ? error.problems : [];
  const body = {
    type: `urn:trivium:${error.graphqlCode.toLowerCase().replaceAll('_', '-')}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail:
      problems.length === 0
        ? error.message
        : `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the request`,
    errors: problems.map(({ path, code, message }) => ({ field: fieldName(path), code, message })),
    requestId,
  };
  return { status, headers: error.headers, body: JSON.stringify(body) };
}

/** `titles[3]`; without the name of GraphQL's argument. */
function fieldName(path: readonly string[]): string {
  return path
    .filter((part, index) => index > 0 || part !== 'input')
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}
