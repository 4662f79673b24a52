import { tagOf } from '../tag-of.ts';
import type { RestReply, RestRequest } from './route.ts';

/** What says whose session it is, for `Vary`: an answer that a browser keeps is for the next session another one. */
export const SESSION_HEADERS = 'X-service-csrf-token-X, Authorization';

/** A reply with a weak ETag of its body; 304 without the body when the client has it already. To be kept by the client alone, and asked again each time. */
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

/** Does the client have what this ETag names already? Weak comparison (RFC 9110, 13.1.2). */
export function hasAlready({ headers }: Pick<RestRequest, 'headers'>, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
  );
}
