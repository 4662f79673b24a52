import type { CryptoKey, JWSHeaderParameters } from 'jose';
import type { OidcSettings } from './oidc-settings.ts';

/** Where a provider answers, as its discovery document says. */
export interface OidcEndpoints {
  issuer: string;
  jwks_uri: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
}

/** An OpenID provider, with what was read from it. */
export interface OidcProvider {
  readonly settings: OidcSettings;
  /** Throws 503 while the provider does not answer. */
  endpoints(): Promise<OidcEndpoints>;
  /** The public key that a token names; undefined if the provider has none of the kind. Throws 503 while that is unknown. */
  keyOf(header: JWSHeaderParameters): Promise<CryptoKey | undefined>;
}
