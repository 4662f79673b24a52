import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../core/errors.ts';
import type { Reply, RouteFamily } from '../../core/rest/route.ts';
import { familyOf } from './parse-target.ts';
import { presentError } from './present-error.ts';
import { sendReply } from './send-reply.ts';

/** The error body in the format of a document, or of GraphQL. */
export function presentFailure(
  family: RouteFamily | 'graphql',
  error: AppError,
  requestId: string,
): Reply {
  if (family !== 'graphql') return presentError(family, error, requestId);
  const retryAfter = error.headers['retry-after'];
  const body = JSON.stringify({
    errors: [
      {
        message: error.message,
        extensions: {
          code: error.graphqlCode,
          legacyCode: error.code,
          ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
        },
      },
    ],
  });
  return { status: error.status, headers: { ...error.headers, 'x-error-code': error.code }, body };
}

/**
 * Answers 503 to a request that takes too long, and 408 if it has not arrived completely by then. A reply that has
 * already begun is cut off.
 */
export async function answerTimeOut(
  request: IncomingMessage,
  response: ServerResponse,
  basePath: string,
): Promise<void> {
  if (response.headersSent) {
    if (response.getHeader('content-type')?.toString().startsWith('text/event-stream')) return;
    response.destroy();
    return;
  }
  const error = request.complete
    ? new AppError('E302', {
        status: 503,
        message: 'The request took too long',
        graphqlCode: 'TIMEOUT',
        headers: { 'retry-after': '2' },
      })
    : new AppError('E900', {
        status: 408,
        message: 'The request did not arrive in time',
        graphqlCode: 'TIMEOUT',
      });
  await sendReply(
    request,
    response,
    presentFailure(
      familyOf(request.url, basePath),
      error,
      String(response.getHeader('x-request-id') ?? ''),
    ),
  );
}
