import type { Configuration } from 'openid-client';
import type { Services } from '../../core/context/context.ts';
import type { OidcProvider } from '../../core/oidc/oidc-provider.ts';
import { AppError } from '../../core/errors.ts';
import { away, isEndpoint } from './create-provider.ts';
import { SKEW } from './verify-token.ts';

/** What a browser keeps while its user is at the provider. */
export interface CodeAttempt {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** Seconds for the provider to answer. */
const TIME = 5;

/** The client of a provider for the code flow. Throws 503 while the provider does not answer, or names no endpoints. */
async function clientOf(provider: OidcProvider): Promise<Configuration> {
  const client = await import('openid-client');
  const { clientId = '', clientSecret, issuer } = provider.settings;
  const endpoints = await provider.endpoints();
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const)
    if (!isEndpoint(endpoints[name], issuer)) throw away(new Error(`no ${name} that can be used`));
  const methods = endpoints.token_endpoint_auth_methods_supported ?? [];
  const takesPost = methods.includes('client_secret_post');
  const authentication =
    clientSecret === undefined
      ? client.None()
      : takesPost
        ? client.ClientSecretPost(clientSecret)
        : client.ClientSecretBasic(clientSecret);
  const metadata = { [client.clockTolerance]: SKEW };
  const configuration = new client.Configuration(
    { ...endpoints },
    clientId,
    metadata,
    authentication,
  );
  configuration.timeout = TIME;
  // Only this machine is without TLS: see isSafeUrl.
  if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
  return configuration;
}

/** Begins the code flow with PKCE: where to send the browser, and what it keeps. Throws 503. */
export async function beginCodeFlow(
  provider: OidcProvider,
  redirectUri: string,
): Promise<{ url: string; attempt: CodeAttempt }> {
  const client = await import('openid-client');
  const configuration = await clientOf(provider);
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: provider.settings.scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  return { url: url.href, attempt: { state, nonce, verifier, redirectUri } };
}

/**
 * Exchanges what the provider sent back for an ID token. State, nonce, code and the provider's name in the answer are
 * compared with the attempt. Throws E202 for whatever does not fit, 503 while the provider does not answer; the
 * log has the code of the failure.
 */
export async function finishCodeFlow(
  { log }: Pick<Services, 'log'>,
  provider: OidcProvider,
  { state, nonce, verifier, redirectUri }: CodeAttempt,
  answer: Record<string, string>,
): Promise<string> {
  const client = await import('openid-client');
  const configuration = await clientOf(provider);
  const url = new URL(redirectUri);
  url.search = new URLSearchParams(answer).toString();
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    return tokens.id_token ?? '';
  } catch (error) {
    log.warn(
      { provider: provider.settings.id, error: codeOf(error) },
      'a sign-in at an OpenID provider was not completed',
    );
    if (isAway(error)) throw away(error);
    throw new AppError('E202', { message: 'The sign-in was not completed', cause: error });
  }
}

/** The `error` of OAuth, else what the library or the machine calls the failure. Descriptions may hold claims. */
function codeOf(error: unknown): string {
  for (const one of error instanceof Error ? [error, error.cause] : [])
    if (one instanceof Error)
      for (const code of ['error' in one && one.error, 'code' in one && one.code])
        if (typeof code === 'string' && /^[\w.-]{1,100}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}

/** Could the same request succeed later? */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  const status =
    cause instanceof Response ? cause.status : 'status' in error ? error.status : undefined;
  if (typeof status === 'number') return status >= 500 || status === 429;
  return (
    error.name === 'TimeoutError' ||
    ('code' in error && error.code === 'OAUTH_TIMEOUT') ||
    (error instanceof TypeError && cause instanceof Error && 'code' in cause)
  );
}
