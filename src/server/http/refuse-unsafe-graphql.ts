import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors.ts';
import { MAX_BODY_BYTES } from './read-body.ts';

/**
 * Browsers send these media types to other origins without a preflight, so they are only accepted with one of our
 * headers, which requires one (F011).
 */
export function refuseUnsafeGraphQL(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    throw new AppError('E903', { message: `The body is larger than ${MAX_BODY_BYTES} bytes` });
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new AppError('E903', { status: 415, message: 'Encoded bodies are not supported' });
  const mediaType =
    (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const asksFirst = ['x-service-csrf-token-x', 'authorization', 'x-requested-with'].some(
    (name) => request.headers[name] !== undefined,
  );
  if (
    request.method === 'POST' &&
    !asksFirst &&
    /^(|text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)$/.test(mediaType)
  ) {
    throw new AppError('E903', { status: 415, message: 'Send application/json' });
  }
}
