import type { IncomingMessage } from 'node:http';
import { sessionTokenOf } from '../../auth/session-token.ts';

/**
 * The session token of `connection_init` (`X-service-csrf-token-X` in any case, or `authorization: Bearer …`), else of
 * the request's headers.
 */
export function connectionToken(
  params: Readonly<Record<string, unknown>> | undefined,
  request: IncomingMessage,
): string | undefined {
  const given = Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (
    sessionTokenOf(given, { bearer: true }) ?? sessionTokenOf(request.headers, { bearer: true })
  );
}
