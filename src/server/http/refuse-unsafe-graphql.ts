import type { IncomingMessage } from 'node:http';
import { unsupportedMediaType } from '../../core/errors.ts';
import { MAX_BODY_BYTES, mediaTypeOf, refuseEncoded, tooLarge } from './read-body.ts';

/** Media types of GraphQL requests, of which browsers send forms to other origins without a preflight. */
const UNDERSTOOD = /^application\/(json|graphql\+json|graphql)$/;
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)$/;

/**
 * Refuses bodies that are too large, encoded, or of a media type that is not understood. Forms are only accepted with
 * one of our headers, which requires a preflight (F011). Writes the media type in the one form that Yoga knows.
 */
export function refuseUnsafeGraphQL(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  refuseEncoded(request);
  if (request.method !== 'POST') return;
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = mediaTypeOf(contentType);
  const asksFirst = ['x-service-csrf-token-x', 'authorization', 'x-requested-with'].some(
    (name) => request.headers[name] !== undefined,
  );
  if (!UNDERSTOOD.test(mediaType) && !(asksFirst && FORM.test(mediaType)))
    throw unsupportedMediaType('Send application/json');
  // Yoga knows it in small letters alone, and without a blank behind it.
  request.headers['content-type'] = contentType.replace(/^[^;]*/, mediaType);
}
