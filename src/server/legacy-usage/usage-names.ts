import type { IncomingHttpHeaders } from 'node:http';
import type { Route } from '../../core/rest/route.ts';

/** Stands for any path, parameter or client without a known name. */
export const UNKNOWN = '(unknown)';
/** Stands for further clients of a domain that has too many. */
export const OTHER = '(other)';

/** The known names of a route. */
interface RouteNames {
  /** Parameters of query and body. */
  parameters: ReadonlyMap<string, string>;
  /** Headers in lower case. */
  headers: readonly { sent: string; name: string }[];
}

const known = new WeakMap<Route, RouteNames>();

function namesOf(route: Route): RouteNames {
  let names = known.get(route);
  if (!names) {
    const written = route.parameters
      .filter((parameter) => parameter.in === 'query' || parameter.in === 'body')
      .map(({ name }) => [fold(route, name), name] as const);
    const headers = route.parameters
      .filter((parameter) => parameter.in === 'header')
      .map(({ name }) => ({ sent: name.toLowerCase(), name }));
    known.set(route, (names = { parameters: new Map(written), headers }));
  }
  return names;
}

/** The dataset paths accept names in any case. */
function fold(route: Route, name: string): string {
  return route.family === 'dataset' ? name.toLowerCase() : name;
}

/** The route's parameters among the names that were sent, each once; all unknown names count as one. */
export function usedParameters(route: Route, sent: Iterable<string>): string[] {
  const { parameters } = namesOf(route);
  const used = new Set<string>();
  for (const name of sent) used.add(parameters.get(fold(route, name)) ?? UNKNOWN);
  return [...used];
}

/** The route's own headers that were sent. */
export function usedHeaders(route: Route, headers: IncomingHttpHeaders): string[] {
  return namesOf(route)
    .headers.filter(({ sent }) => headers[sent] !== undefined)
    .map(({ name }) => name);
}

/**
 * The name of a client: `X-Client-Name`, else the product of `User-Agent` without its version. Unusual values count as
 * unknown.
 */
export function clientName(headers: IncomingHttpHeaders): string {
  const given = headers['x-client-name'];
  if (typeof given === 'string' && /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/.test(given))
    return given.trim();
  return (
    /^([A-Za-z0-9][A-Za-z0-9._-]{0,39})(?=[/ ]|$)/.exec(headers['user-agent'] ?? '')?.[1] ?? UNKNOWN
  );
}
