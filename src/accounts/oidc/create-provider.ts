import type { LocalJWKSet } from './read-keys.ts';
import * as z from 'zod';
import type { Services } from '../../core/context/context.ts';
import type { OidcEndpoints, OidcProvider } from '../../core/oidc/oidc-provider.ts';
import { isSafeUrl, type OidcSettings } from '../../core/oidc/oidc-settings.ts';
import { unavailable, type AppError } from '../../core/errors.ts';
import { fetchJson, UnusableDocumentError } from './fetch-json.ts';
import { KeptDocument } from './kept-document.ts';
import { readKeys } from './read-keys.ts';

const endpointsSchema = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.string().exactOptional(),
  token_endpoint: z.string().exactOptional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).exactOptional(),
});

/** Makes a provider. Nothing is read from it before the first token, so a gateway starts while its provider is down. */
export function createProvider(
  settings: OidcSettings,
  { clock, log }: Pick<Services, 'clock' | 'log'>,
): OidcProvider {
  const { id, issuer } = settings;
  const told = <T>(read: () => Promise<T>) =>
    new KeptDocument(
      () =>
        read().catch((error: unknown) => {
          log.warn({ err: error, provider: id }, 'an OpenID provider does not answer as it should');
          throw error;
        }),
      clock,
    );
  const discovery = told(async () => {
    const found = await discover(issuer);
    const missing = (['authorization_endpoint', 'token_endpoint'] as const).filter(
      (name) => !isEndpoint(found[name], issuer),
    );
    if (settings.clientId !== undefined && missing.length > 0)
      log.warn({ provider: id, missing }, 'an OpenID provider has no endpoints for the pages');
    return found;
  });
  let hadKeys = false;
  const keys = told<LocalJWKSet>(async () => {
    const { jwks_uri: url } = await discovery.get();
    try {
      const read = await readKeys(url);
      hadKeys = true;
      return read;
    } catch (error) {
      // Earlier keys are better than none.
      if (hadKeys || !(error instanceof UnusableDocumentError)) throw error;
      log.warn(
        { provider: id, fault: error.message },
        'the keys of an OpenID provider can not be used',
      );
      return () => Promise.resolve(undefined);
    }
  });
  return {
    settings,
    endpoints: () => discovery.get().catch(throwAway),
    async keyOf(header) {
      const known = await keys.get().catch(throwAway);
      const key = await known(header);
      if (key) return key;
      // It may be a new one.
      await keys.renew();
      if (keys.failure !== undefined) throw away(keys.failure);
      return (await keys.get())(header);
    },
  };
}

/** The error while a provider does not answer. */
export function away(cause: unknown): AppError {
  return unavailable('The sign-in provider is not available: try again', '5', cause);
}

function throwAway(cause: unknown): never {
  throw away(cause);
}

async function discover(issuer: string): Promise<OidcEndpoints> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const endpoints = endpointsSchema.parse(await fetchJson(url));
  if (endpoints.issuer !== issuer)
    throw new Error(`the provider calls itself ${JSON.stringify(endpoints.issuer.slice(0, 200))}`);
  if (!isEndpoint(endpoints.jwks_uri, issuer)) throw new Error('no jwks_uri that can be used');
  return endpoints;
}

/** Is it an address that a provider may name: with TLS, unless its issuer is without? */
export function isEndpoint(text: string | undefined, issuer: string): text is string {
  return (
    text !== undefined &&
    isSafeUrl(text.replace(/\?.*/s, '')) &&
    (issuer.startsWith('http:') || new URL(text).protocol === 'https:')
  );
}
