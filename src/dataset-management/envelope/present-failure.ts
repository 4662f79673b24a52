import type { AppError } from '../../core/errors.ts';
import {
  DatabaseBusyError,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../core/errors.ts';
import type { Reply, RestReply } from '../../core/rest/route.ts';
import { envelopeOf } from './envelope-shapes.ts';
import { type DatasetErrorCode, isDatasetErrorCode } from './error-codes.ts';

/** Header of every reply of dataset management. */
export const VERSION = { 'api-supported-versions': '1.0' };

/** The body of a failed answer: all four members, always (F200). */
interface Envelope {
  data: null;
  errorMessage: string;
  errorCodes: DatasetErrorCode[];
  isSuccess: false;
}

/** A successful answer. */
export function presentData(data: unknown, headers: Record<string, string> = {}): RestReply {
  return { headers, body: JSON.stringify(envelopeOf(data)) };
}

/** The same for data that are JSON already. */
export function presentJson(json: string): RestReply {
  const empty = JSON.stringify(envelopeOf(null));
  return { body: empty.replace('"data":null', () => `"data":${json}`) };
}

/** Statuses of failures before any operation, which are kept. */
const gatewayStatuses: readonly number[] = [404, 405, 408, 414, 429, 503];

/** A failed answer: of operations 400, 401 or 500, and codes of the closed list, nothing else (D-60, D-62). */
export function presentFailure(error: AppError): Reply {
  const errorCodes = [...new Set(codesOf(error))];
  const envelope: Envelope = {
    data: null,
    errorMessage: error.message,
    errorCodes,
    isSuccess: false,
  };
  const ofGateway =
    gatewayStatuses.includes(error.status) &&
    (error.graphqlCode !== 'SERVICE_UNAVAILABLE' || error instanceof DatabaseBusyError);
  const status = ofGateway
    ? error.status
    : error.code === 'E202'
      ? 401
      : error.code === 'E302'
        ? 500
        : 400;
  return { status, headers: { ...error.headers, ...VERSION }, body: JSON.stringify(envelope) };
}

function codesOf(error: AppError): DatasetErrorCode[] {
  if (error instanceof ValidationError)
    return error.problems.map(({ code }) => (isDatasetErrorCode(code) ? code : 'VALIDATION_ERROR'));
  if (error instanceof DatabaseBusyError) return ['TIMEOUT'];
  if (isDatasetErrorCode(error.graphqlCode)) return [error.graphqlCode];
  if (error instanceof NotFoundError) {
    const code = `${error.entity.toUpperCase()}_NOT_FOUND`;
    return [isDatasetErrorCode(code) ? code : 'VALIDATION_ERROR'];
  }
  if (error instanceof ForbiddenError) return ['FORBIDDEN'];
  if (error.code === 'E202') return ['UNAUTHORIZED'];
  return [error.code === 'E302' ? 'INTERNAL_ERROR' : 'VALIDATION_ERROR'];
}
