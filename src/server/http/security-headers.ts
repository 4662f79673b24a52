import type { ServerResponse } from 'node:http';
import type { Config } from '../../core/context/config.ts';

/**
 * What GraphiQL needs: its script and style are inline, its editor creates workers from blobs. Nothing is loaded from
 * or sent to other sites.
 */
const PAGE =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const DATA = "default-src 'none'; frame-ancestors 'none'";

/** Headers that forbid browsers to guess types, frame, send referrers or run scripts; `page` for HTML. */
export function setSecurityHeaders(
  response: ServerResponse,
  { hstsMaxAge }: Pick<Config, 'hstsMaxAge'>,
  page: boolean,
): void {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('content-security-policy', page ? PAGE : DATA);
  if (hstsMaxAge > 0)
    response.setHeader('strict-transport-security', `max-age=${hstsMaxAge}; includeSubDomains`);
}
