import { createHash } from 'node:crypto';

/** The weak ETag of a body. */
export function tagOf(body: string | Buffer): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
