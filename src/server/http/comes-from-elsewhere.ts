import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Was a request made by the page of another site, in a browser on a machine that reaches us? Told by what browsers say of it, and by a Host that leads to us under a name of
 * somebody else's. For what is open to whoever reaches the gateway: a page that a developer visits is not meant.
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
