import { hash } from 'node:crypto';
import type * as Jose from 'jose';
import type { JWTPayload, ProtectedHeaderParameters } from 'jose';
import { isSignedToken } from '../../auth/access-token.ts';
import type { Services } from '../../core/context/context.ts';
import type { OidcProvider } from '../../core/oidc/oidc-provider.ts';
import type { OidcSettings } from '../../core/oidc/oidc-settings.ts';
import { isStorable } from '../../core/text.ts';

/** What a provider has signed. */
export interface VerifiedToken {
  settings: OidcSettings;
  subject: string;
  claims: JWTPayload;
  /** SHA-256 of the signed part: the same for every spelling of the signature. */
  proof: Uint8Array<ArrayBuffer>;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** What it is used for: calls, or a sign-in. */
export type TokenUse = 'access' | 'id';

/** Seconds by which clocks may differ. */
export const SKEW = 60;
/** Oldest token for a sign-in, in seconds. */
const MAX_AGE_OF_ID = 600;
/** Longest life that a token may have left, in seconds: no session lasts longer. */
const MAX_LIFE = 7 * 86_400;

/** Signatures with private keys only. */
const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Kinds of tokens, as `typ` names them; others, such as those of a logout, are signed by the same keys. */
const TYPES: Record<TokenUse, readonly (string | undefined)[]> = {
  access: [undefined, 'jwt', 'at+jwt', 'application/at+jwt'],
  id: [undefined, 'jwt'],
};

/** What Keycloak writes into the claim `typ`. */
const OTHER_KINDS: Record<TokenUse, readonly unknown[]> = {
  access: ['ID', 'Refresh', 'Offline', 'Logout'],
  id: ['Bearer', 'Refresh', 'Offline', 'Logout'],
};

/** Where access tokens name their client, if not in `azp`; Entra ID's have `appid`, Okta's `cid`. */
const CLIENT_CLAIMS = ['client_id', 'appid', 'cid'] as const;

/**
 * Checks a provider's token: signature, issuer, audience, times, authorised party, kind. What can be refused without
 * its signature is refused before that is checked. Undefined for whatever is not right, so that every forged token is
 * answered alike. Throws 503 while the provider's keys are unknown.
 */
export async function verifyToken(
  { oidc, clock }: Pick<Services, 'oidc' | 'clock'>,
  token: string,
  use: TokenUse,
): Promise<VerifiedToken | undefined> {
  if (oidc.length === 0 || !isSignedToken(token)) return undefined;
  const jose = await import('jose');
  const parts = read(jose, token);
  if (!parts) return undefined;
  const provider = oidc.find(({ settings }) => settings.issuer === parts.claims.iss);
  if (!provider || !fits(provider, parts, use, clock() / 1000)) return undefined;
  let missing = false;
  const keyOf: Parameters<typeof jose.jwtVerify>[1] = async (header) => {
    const key = await provider.keyOf(header);
    missing = !key;
    if (!key) throw new jose.errors.JWKSNoMatchingKey();
    return key;
  };
  try {
    const { payload } = await jose.jwtVerify(token, keyOf, {
      algorithms: [...ALGORITHMS],
      issuer: provider.settings.issuer,
      clockTolerance: SKEW,
      currentDate: new Date(clock()),
      requiredClaims: ['sub', 'exp'],
    });
    return {
      settings: provider.settings,
      subject: payload.sub ?? '',
      claims: payload,
      proof: new Uint8Array(hash('sha256', token.slice(0, token.lastIndexOf('.')), 'buffer')),
      expiresAt: (payload.exp ?? 0) * 1000,
    };
  } catch (error) {
    // A key of another kind than the algorithm's is a TypeError.
    if (missing || error instanceof jose.errors.JOSEError || error instanceof TypeError)
      return undefined;
    throw error;
  }
}

interface Parts {
  header: ProtectedHeaderParameters;
  claims: JWTPayload;
}

function read(jose: typeof Jose, token: string): Parts | undefined {
  try {
    return { header: jose.decodeProtectedHeader(token), claims: jose.decodeJwt(token) };
  } catch {
    return undefined;
  }
}

/** Does what the token says of itself allow its use, if it is genuine? */
function fits(
  { settings }: OidcProvider,
  { header, claims }: Parts,
  use: TokenUse,
  now: number,
): boolean {
  const { sub, exp, nbf, iat } = claims;
  const type = typeof header.typ === 'string' ? header.typ.toLowerCase() : header.typ;
  return (
    ALGORITHMS.includes(header.alg ?? '') &&
    TYPES[use].includes(type) &&
    !OTHER_KINDS[use].includes(claims['typ']) &&
    typeof sub === 'string' &&
    sub.length > 0 &&
    sub.length <= 255 &&
    isStorable(sub) &&
    isTime(exp) &&
    exp > now - SKEW &&
    exp < now + MAX_LIFE + SKEW &&
    (nbf === undefined || (isTime(nbf) && nbf <= now + SKEW)) &&
    (iat === undefined || (isTime(iat) && iat <= now + SKEW)) &&
    (use === 'access'
      ? !looksLikeIdToken(claims) && isForUs(settings, claims)
      : isTime(iat) &&
        iat > now - MAX_AGE_OF_ID - SKEW &&
        !looksLikeAccessToken(settings, claims) &&
        isForOurClient(settings, claims))
  );
}

/** Only ID tokens repeat the nonce and hash what came with them; older Keycloaks put the nonce into `Bearer` tokens, too. */
function looksLikeIdToken({ nonce, at_hash: token, c_hash: code, typ }: JWTPayload): boolean {
  return token !== undefined || code !== undefined || (nonce !== undefined && typ !== 'Bearer');
}

/** Only access tokens have scopes, and name the client of somebody else. */
function looksLikeAccessToken({ clientId }: OidcSettings, claims: JWTPayload): boolean {
  return (
    claims['scp'] !== undefined ||
    claims['scope'] !== undefined ||
    CLIENT_CLAIMS.some((name) => claims[name] !== undefined && claims[name] !== clientId)
  );
}

/** An access token: for one of our audiences, and given to a client that may call. */
function isForUs({ audiences, authorizedParties }: OidcSettings, claims: JWTPayload): boolean {
  const party = ['azp', ...CLIENT_CLAIMS]
    .map((name) => claims[name])
    .find((one) => one !== undefined);
  return (
    audiencesOf(claims).some((one) => audiences.includes(one)) &&
    (authorizedParties.length === 0 ||
      (typeof party === 'string' && authorizedParties.includes(party)))
  );
}

/** An ID token: for our client, and given to it. */
function isForOurClient({ clientId }: OidcSettings, claims: JWTPayload): boolean {
  const audiences = audiencesOf(claims);
  const party = claims['azp'];
  return (
    clientId !== undefined &&
    audiences.includes(clientId) &&
    (party === undefined ? audiences.length === 1 : party === clientId)
  );
}

function audiencesOf({ aud }: JWTPayload): string[] {
  return (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
