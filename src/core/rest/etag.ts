import { createHash } from 'node:crypto';
import type { RestReply, RestRequest } from './route.ts';

/** A reply with a weak ETag of its body; 304 without the body when the client has it already. To be kept by the client alone, and asked again each time. */
export function withETag(
  request: Pick<RestRequest, 'headers'>,
  reply: RestReply & { body: string },
): RestReply {
  const etag = `W/"${createHash('sha256').update(reply.body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'cache-control': 'private, no-cache',
    vary: 'X-service-csrf-token-X',
    ...reply.headers,
    etag,
  };
  return names(request.headers['if-none-match'], etag)
    ? { status: 304, headers, body: '' }
    : { ...reply, headers };
}

/** Weak comparison (RFC 9110, 13.1.2). */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (
    ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag))
  );
}
