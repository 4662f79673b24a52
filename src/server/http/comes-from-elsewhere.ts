import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Was a request made by a page of another site, in a browser that can reach the gateway? Decided by what browsers send
 * about the origin, and by a Host under a foreign name that resolves to the gateway. Protects paths that need no
 * session from pages that a developer visits.
 */
export function comesFromElsewhere(
  headers: IncomingHttpHeaders,
  publicUrl: string | undefined,
): boolean {
  const { host = '', origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  if (origin !== undefined && hostOf(origin) !== host.toLowerCase()) return true;
  const name = host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  const isOurs = isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost');
  return !isOurs && hostOf(publicUrl ?? '') !== host.toLowerCase();
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
