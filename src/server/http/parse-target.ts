import type { IncomingMessage } from 'node:http';
import { AppError } from '../../core/errors.ts';
import type { RouteFamily } from '../../core/rest/route.ts';

/** Longest request target, in characters. */
export const MAX_TARGET = 8_000;

/**
 * Headers that may appear only once: given two, different hops could believe different ones. Node itself refuses two
 * lengths.
 */
const single = [
  'host',
  'content-type',
  'content-encoding',
  'authorization',
  'api-key',
  'customerid',
  'x-service-csrf-token-x',
  'idempotency-key',
];

export interface Target {
  /** Below BASE_PATH; empty when the request is for something outside it. */
  pathname: string;
  query: URLSearchParams;
}

/**
 * Path and query of the request target. Throws E900 for requests that no proper client sends: an invalid Host, a
 * repeated header that may appear only once, a path that begins with `//`, an absolute target.
 */
export function parseTarget(request: IncomingMessage, basePath: string): Target {
  const refuse = (message: string): never => {
    throw new AppError('E900', { message });
  };
  const target = request.url ?? '/';
  if (target.length > MAX_TARGET)
    throw new AppError('E900', {
      status: 414,
      message: `The URL is longer than ${MAX_TARGET} characters`,
    });
  if (!target.startsWith('/') || target.startsWith('//') || target.includes('\\'))
    refuse('Unusable path');
  const seen = new Set<string>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i]?.toLowerCase() ?? '';
    if (seen.has(name) && single.includes(name)) refuse(`More than one header ${name}`);
    seen.add(name);
  }
  const { host } = request.headers;
  // HTTP/1.0 needs none; where HTTP/1.1 does, Node refuses the request.
  if (host !== undefined && !isHost(host)) refuse('Unusable Host header');
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  return {
    pathname: belowBasePath(basePath, path),
    query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)),
  };
}

/** A path without BASE_PATH; empty when it is outside. */
function belowBasePath(basePath: string, path: string): string {
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : '';
}

/** Is it a valid host in a URL, with or without a port? Digits and dots alone are one only as an address. */
export function isHost(text: string): boolean {
  return (
    /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(text) && URL.canParse(`http://${text}`)
  );
}

/** The format of error bodies below each path, also for unknown paths: the path trees of the API documents, and of SCIM. */
const trees: readonly { below: RegExp; family: RouteFamily | 'graphql' }[] = [
  { below: /^\/graphql$/, family: 'graphql' },
  { below: /^\/api\/task-tracker-external(\/|$)/, family: 'tracker' },
  { below: /^\/scim(\/|$)/, family: 'scim' },
  { below: /^\/(api|exports|dataset-versions)(\/|$)/, family: 'dataset' },
];

/** The API document, or GraphQL, to which a request target belongs. */
export function familyOf(target: string | undefined, basePath: string): RouteFamily | 'graphql' {
  const pathname = belowBasePath(basePath, (target ?? '').split('?')[0] ?? '');
  return trees.find(({ below }) => below.test(pathname))?.family ?? 'task';
}
