/**
 * The session token in headers, or in connection parameters with lower-case names: X-service-csrf-token-X, and if
 * `bearer` is set also Authorization: Bearer.
 */
export function sessionTokenOf(
  headers: Readonly<Record<string, unknown>>,
  { bearer }: { bearer: boolean },
): string | undefined {
  const token = headers['x-service-csrf-token-x'];
  if (typeof token === 'string' && token !== '') return token;
  const authorization = bearer ? headers['authorization'] : undefined;
  return typeof authorization === 'string' ? /^Bearer (\S+)$/i.exec(authorization)?.[1] : undefined;
}
