import { tagOf } from '../tag-of.ts';
import type { RestReply, RestRequest } from './route.ts';

/**
 * The headers that identify a session, for `Vary`: a reply that a browser caches is a different one for the next
 * session.
 */
export const SESSION_HEADERS = 'X-service-csrf-token-X, Authorization';

/**
 * A reply with a weak ETag of its body, or 304 without the body when the client already has it. Only the client may
 * cache it, and must revalidate each time.
 */
export function withETag(
  request: Pick<RestRequest, 'headers'>,
  reply: RestReply & { body: string | Buffer },
  etag = tagOf(reply.body),
): RestReply {
  const headers = {
    'cache-control': 'private, no-cache',
    vary: SESSION_HEADERS,
    ...reply.headers,
    etag,
  };
  return hasAlready(request, etag) ? { status: 304, headers, body: '' } : { ...reply, headers };
}

/** Does the client already have the version of this ETag? Weak comparison (RFC 9110, 13.1.2). */
export function hasAlready({ headers }: Pick<RestRequest, 'headers'>, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
  );
}
