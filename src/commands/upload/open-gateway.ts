import { GatewayError, jsonOf, type Gateway } from '../../sdk/gateway.ts';
import { at, query } from '../../sdk/query.ts';
import { UsageError } from '../support/usage-error.ts';
import { gatewayAddress, reachingFetch, sessionToken } from './reach-gateway.ts';

/** Where a gateway is, and who asks. */
export interface GatewayOptions {
  url?: string | undefined;
  login?: string | undefined;
}

/** Where a gateway listens that `npm start` has started. */
const HERE = 'http://127.0.0.1:4000';

/** Longest wait for the end of a session, in milliseconds. */
const SIGN_OUT = 5_000;

/**
 * A gateway over HTTP, with the session of `TRIVIUM_TOKEN`, or of a login with the password in `TRIVIUM_PASSWORD`: neither is
 * ever an argument, which every user of the machine can read. Throws UsageError.
 */
export async function openGateway(
  { url, login }: GatewayOptions,
  fetch: typeof globalThis.fetch,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Gateway> {
  const from = url === undefined ? 'TRIVIUM_URL' : '--url';
  const baseUrl = gatewayAddress(from, url ?? env['TRIVIUM_URL'] ?? HERE);
  const reach = reachingFetch(baseUrl, fetch);
  const { TRIVIUM_TOKEN: token, TRIVIUM_PASSWORD: password } = env;
  if (login === undefined) {
    if (token) return { baseUrl, token: sessionToken('TRIVIUM_TOKEN', token), fetch: reach };
    throw new UsageError('set TRIVIUM_TOKEN, or give --login and set TRIVIUM_PASSWORD');
  }
  if (!password) throw new UsageError(`set TRIVIUM_PASSWORD, the password of ${login}`);
  const answer = await reach(`${baseUrl}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login, password }),
  });
  const body = await jsonOf(answer);
  const given = at(body, 'token');
  if (typeof given === 'string') return { baseUrl, token: given, fetch: reach };
  const why = at(body, 'response');
  throw new UsageError(
    `${login}: ${typeof why === 'string' ? why : `the gateway answered ${answer.status}`}`,
  );
}

/** Ends the session of a login that was given; where the gateway does not answer soon, it ends by its own time. */
export async function signOut({ baseUrl, token }: Gateway): Promise<void> {
  const headers = { 'x-service-csrf-token-x': token };
  const init = { method: 'DELETE', headers, signal: AbortSignal.timeout(SIGN_OUT) };
  await fetch(`${baseUrl}/session`, init).catch(() => undefined);
}

/** Sends a GraphQL document; the data of the answer. Throws UsageError for what the gateway refuses. */
export async function queryGateway(
  gateway: Gateway,
  text: string,
  variables: Record<string, unknown>,
): Promise<unknown> {
  return query(gateway, text, variables).catch((error: unknown) => {
    throw error instanceof GatewayError
      ? new UsageError(`${gateway.baseUrl}: ${error.message}`)
      : error;
  });
}
