import { hash } from 'node:crypto';

/** The weak ETag of a body. */
export function tagOf(body: string | Buffer): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}
