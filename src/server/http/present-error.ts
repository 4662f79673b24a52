import { AppError } from '../../core/errors.ts';
import { BusyError } from '../../core/limit-waiting.ts';
import { StorageFullError } from '../../core/context/storage.ts';
import type { RestReply, RouteFamily } from '../../core/rest/route.ts';
import { presentFailure } from '../../dataset-management/envelope/present-failure.ts';
import { presentProblem } from './present-problem.ts';

/**
 * Turns any error into an expected failure. An unexpected one becomes E302, with 503 when the database or the storage
 * is unreachable or full.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof BusyError)
    return new AppError('E900', {
      status: 503,
      message: 'Too many requests are waiting for this: try again',
      graphqlCode: 'TIMEOUT',
      headers: { 'retry-after': '15' },
      cause: error,
    });
  if (error instanceof StorageFullError) return unavailable('The storage is full', '60', error);
  if (isOutOfReach(error))
    return unavailable('The database or the storage is not available: try again', '2', error);
  return new AppError('E302', { cause: error });
}

function unavailable(message: string, retryAfter: string, cause: unknown): AppError {
  return new AppError('E302', {
    status: 503,
    message,
    graphqlCode: 'SERVICE_UNAVAILABLE',
    headers: { 'retry-after': retryAfter },
    cause,
  });
}

/**
 * The error body of a REST path, in the format of its document; some documents give the code of "no data" another name
 * (D-01).
 */
export function presentError(
  family: RouteFamily,
  error: AppError,
  requestId = '',
  noDataKey: 'errorCode' | 'error_code' = 'errorCode',
): RestReply & { status: number } {
  switch (family) {
    case 'dataset':
      return presentFailure(error);
    case 'tracker':
      return presentProblem(error, requestId);
    case 'task': {
      const noData = error.code === 'E404' && error.status === 200;
      const body = JSON.stringify({
        status: 'ER',
        [noData ? noDataKey : 'errorCode']: error.code,
        response: noData ? 'No data found' : error.message,
      });
      return {
        status: error.status,
        headers: { ...error.headers, 'x-error-code': error.code },
        body,
      };
    }
  }
}

/**
 * SQLSTATE classes and socket codes that mean "temporarily unavailable": no connection, shutting down, too many
 * connections, cancelled by a timeout.
 */
function isOutOfReach(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : '';
    if (
      /^(08|57|53)/.test(code) ||
      /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/.test(code) ||
      current.name === 'TimeoutError'
    )
      return true;
    if (
      /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/.test(
        current.message,
      )
    )
      return true;
    if ('errors' in current && Array.isArray(current.errors) && current.errors.some(isOutOfReach))
      return true;
  }
  return false;
}
