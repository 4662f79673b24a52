import type { IncomingMessage } from 'node:http';
import type { CodeAttempt } from '../../accounts/oidc/code-flow.ts';

/** A sign-in at a provider that a browser has begun. */
export interface BrowserAttempt extends CodeAttempt {
  /** Id of the provider. */
  provider: string;
  /** Path of the page to which the user comes back. */
  page: string;
  /** What the provider sent back. */
  code?: string;
  iss?: string;
}

/** Seconds for the user to sign in at the provider, and for the page to fetch the session. */
const TIME_AT_PROVIDER = 900;
const TIME_TO_FETCH = 60;

/** Browsers keep cookies of up to 4 KiB. */
const LONGEST = 3_800;

interface Place {
  basePath: string;
  secure: boolean;
}

/** With TLS, a name that no other host of the domain can set. */
const nameOf = ({ secure }: Place): string =>
  secure ? '__Host-trivium-sign-in' : 'trivium-sign-in';

/**
 * The cookie that ties a sign-in to the browser that began it. No script can read it. Until the provider sends the user
 * back it comes with links of other sites, then only with requests of our own pages.
 */
export function attemptCookie(place: Place, attempt: BrowserAttempt): string | undefined {
  const value = new URLSearchParams({ ...attempt }).toString();
  if (value.length > LONGEST) return undefined;
  const site =
    attempt.code === undefined
      ? `SameSite=Lax; Max-Age=${TIME_AT_PROVIDER}`
      : `SameSite=Strict; Max-Age=${TIME_TO_FETCH}`;
  return `${nameOf(place)}=${value}; ${scopeOf(place)}; ${site}`;
}

/** Removes the cookie. */
export function endedAttempt(place: Place): string {
  return `${nameOf(place)}=; ${scopeOf(place)}; SameSite=Strict; Max-Age=0`;
}

function scopeOf({ secure, basePath }: Place): string {
  return `HttpOnly; ${secure ? 'Secure; Path=/' : `Path=${basePath}/sign-in`}`;
}

/** The attempt of this browser; undefined if there is none, or more than one. */
export function readAttempt(
  { headers }: IncomingMessage,
  place: Place,
): BrowserAttempt | undefined {
  const prefix = `${nameOf(place)}=`;
  const found = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  const [cookie] = found;
  if (cookie === undefined || found.length > 1) return undefined;
  const fields = new URLSearchParams(cookie.slice(prefix.length));
  const text = (name: string): string => fields.get(name) ?? '';
  const [code, iss] = [fields.get('code'), fields.get('iss')];
  const attempt = {
    ...{ provider: text('provider'), page: text('page'), redirectUri: text('redirectUri') },
    ...{ state: text('state'), nonce: text('nonce'), verifier: text('verifier') },
  };
  if (Object.values(attempt).some((value) => value === '') || !URL.canParse(attempt.redirectUri))
    return undefined;
  return { ...attempt, ...(code !== null && { code }), ...(iss !== null && { iss }) };
}
