import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import { ValidationError } from '../../core/errors.ts';
import { inputPath } from '../../core/graphql/user-errors.ts';
import { toAppError } from '../../core/failures/to-app-error.ts';

/**
 * An error as clients may see it: with a code, and with `legacyCode` where REST has one. Details of unexpected failures
 * stay on `originalError`, for the log. Where the schema may be read, `suggests` keeps what graphql-js suggests.
 */
export function presentGraphQLError(error: unknown, suggests = false): GraphQLError {
  const original = error instanceof GraphQLError ? error.originalError : error;
  if (error instanceof GraphQLError && (original === undefined || original instanceof GraphQLError))
    return withCode(error, suggests);
  const failure = toAppError(original);
  const retryAfter = failure.headers['retry-after'];
  return new GraphQLError(failure.inGraphQL, {
    ...placeOf(error),
    originalError: failure,
    extensions: {
      code: failure.graphqlCode,
      legacyCode: failure.code,
      ...(failure instanceof ValidationError && {
        problems: failure.problems.map(({ code, ...problem }) => ({
          path: inputPath(problem.path),
          message: problem.inGraphQL ?? problem.message,
          code,
        })),
      }),
      ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
      ...(failure.status !== 200 &&
        failure.status !== 400 && { http: { status: failure.status, headers: failure.headers } }),
    },
  });
}

/** The same for a connection that answers without a status and headers. */
export function presentWithoutHttp(error: unknown, suggests = false): GraphQLError {
  const shown = presentGraphQLError(error, suggests);
  delete shown.extensions['http'];
  return shown;
}

/** That a document has several operations and the request names none of them. */
export const unknownOperation = (): GraphQLError =>
  new GraphQLError('Could not determine what operation to execute.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  });

/** Errors of graphql-js have no code, and their text may contain suggestions, which would reveal the schema. */
function withCode(error: GraphQLError, suggests: boolean): GraphQLError {
  const code =
    error.extensions['code'] ??
    (error.message.startsWith('Syntax Error')
      ? 'GRAPHQL_PARSE_FAILED'
      : error.path || error.message.startsWith('Variable ')
        ? 'BAD_USER_INPUT'
        : 'GRAPHQL_VALIDATION_FAILED');
  return new GraphQLError(
    suggests ? error.message : error.message.replace(/ Did you mean .*$/s, ''),
    {
      ...placeOf(error),
      extensions: { ...error.extensions, code },
    },
  );
}

function placeOf(error: unknown): GraphQLErrorOptions {
  if (!(error instanceof GraphQLError)) return {};
  const { nodes = null, source = null, positions = null, path = null } = error;
  return { nodes, source, positions, path };
}
