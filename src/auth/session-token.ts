import { isSignedToken } from './access-token.ts';

/**
 * The session token in headers, or in connection parameters with lower-case names: X-service-csrf-token-X, and if
 * `bearer` is set also Authorization: Bearer. Without it, only the signed token of an OpenID provider is read from there.
 */
export function sessionTokenOf(
  headers: Readonly<Record<string, unknown>>,
  { bearer }: { bearer: boolean },
): string | undefined {
  const token = headers['x-service-csrf-token-x'];
  if (typeof token === 'string' && token !== '') return token;
  const { authorization } = headers;
  if (typeof authorization !== 'string') return undefined;
  const sent = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return sent !== undefined && (bearer || isSignedToken(sent)) ? sent : undefined;
}
