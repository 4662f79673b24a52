import type { ServerResponse } from 'node:http';
import type { Config } from '../../core/context/config.ts';

const DATA = "default-src 'none'; frame-ancestors 'none'";

/** Headers that forbid browsers to guess types, frame, send referrers or run scripts; pages send a policy of their own. */
export function setSecurityHeaders(
  response: ServerResponse,
  { hstsMaxAge }: Pick<Config, 'hstsMaxAge'>,
): void {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('content-security-policy', DATA);
  if (hstsMaxAge > 0)
    response.setHeader('strict-transport-security', `max-age=${hstsMaxAge}; includeSubDomains`);
}
