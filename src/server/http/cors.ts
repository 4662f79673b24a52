import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../core/context/config.ts';
import type { Reply } from '../../core/rest/route.ts';

/** Headers that scripts may send and read beyond what browsers always allow. */
const REQUEST_HEADERS =
  'accept, api-key, api-version, authorization, content-type, customerid, idempotency-key, if-match, if-none-match, prefer, range, x-client-name, x-explain, x-request-id, x-requested-with, x-resume-cursor, x-service-csrf-token-x';
const REPLY_HEADERS =
  'api-supported-versions, content-disposition, content-range, deprecation, etag, idempotent-replayed, link, location, preference-applied, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, sunset, x-content-encrypted, x-content-key, x-content-proof, x-degraded, x-error-code, x-graphql-operation, x-graphql-variables, x-ignored-parameters, x-ignored-projections, x-interface-version, x-last-fetch-time, x-missing-images, x-next-poll-after, x-removed-feed-keys, x-request-id, x-result-truncated, x-resume-cursor, x-total-count, x-undo-token, x-version-digest';

/**
 * Lets scripts of the origins in CORS_ORIGINS read the reply; for others no header is set, and the browser hides it
 * from them.
 */
export function setCorsHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  { cors }: Pick<Config, 'cors'>,
): void {
  if (cors.origins.length === 0) return;
  const anyone = cors.origins.includes('*');
  if (!anyone) response.setHeader('vary', 'origin');
  const { origin } = request.headers;
  if (origin === undefined || !(anyone || cors.origins.includes(origin))) return;
  response.setHeader('access-control-allow-origin', anyone ? '*' : origin);
  response.setHeader('access-control-expose-headers', REPLY_HEADERS);
  if (cors.credentials) response.setHeader('access-control-allow-credentials', 'true');
}

/** The reply to OPTIONS at a path with these methods; also to the preflights of scripts whose origin is allowed. */
export function answerOptions(
  request: IncomingMessage,
  response: ServerResponse,
  allow: string,
): Reply {
  const isAllowed =
    request.headers['access-control-request-method'] !== undefined &&
    response.hasHeader('access-control-allow-origin');
  const preflight = {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': REQUEST_HEADERS,
    'access-control-max-age': '600',
  };
  return { status: 204, headers: { allow, ...(isAllowed && preflight) }, body: '' };
}
