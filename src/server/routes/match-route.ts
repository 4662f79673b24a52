import type { Route, RouteFamily } from '../../core/rest/route.ts';

/** The result for a path: a route with the values of its path parameters, or the allowed methods. */
export type RouteMatch =
  | { family: RouteFamily; route: Route; path: Record<string, string> }
  | { family: RouteFamily; allowed: string[] }
  | undefined;

interface Compiled {
  route: Route;
  /** Segments; a parameter is `{name}`, possibly with a suffix: `{name}.ics`. */
  segments: string[];
}

/**
 * Makes the matcher of a route table. A literal segment wins over a parameter; undefined means an unknown path. HEAD is
 * answered like GET.
 */
export function compileRoutes(
  routes: readonly Route[],
): (method: string, pathname: string) => RouteMatch {
  const compiled: Compiled[] = routes
    .map((route) => ({ route, segments: route.path.split('/') }))
    .sort((a, b) => parameterCount(a.segments) - parameterCount(b.segments));
  const find = (method: string, pathname: string): RouteMatch => {
    const segments = pathname.split('/');
    const fitting = compiled.filter((candidate) => fits(candidate.segments, segments));
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = fitting.find(({ route }) => route.method === wanted);
    if (found)
      return {
        family: found.route.family,
        route: found.route,
        path: pathValues(found.segments, segments),
      };
    const [first] = fitting;
    if (!first) return undefined;
    return {
      family: first.route.family,
      allowed: [...new Set(fitting.flatMap(methodsOf))],
    };
  };
  const found = new Map<string, RouteMatch>();
  return (method, pathname) => {
    const key = `${method} ${pathname}`;
    let match = found.get(key);
    if (match === undefined) {
      match = find(method, pathname);
      if (found.size >= 1_000) found.clear();
      found.set(key, match);
    }
    return match;
  };
}

function methodsOf({ route: { method } }: Compiled): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function parameterCount(segments: readonly string[]): number {
  return segments.filter(isParameter).length;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) =>
      isParameter(part)
        ? hasEnding(segments[index] ?? '', endingOf(part))
        : part === segments[index],
    )
  );
}

function pathValues(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    pattern.flatMap((part, index) => {
      if (!isParameter(part)) return [];
      const segment = segments[index] ?? '';
      const value = segment.slice(0, segment.length - endingOf(part).length);
      return [[part.slice(1, part.indexOf('}')), decode(value)]];
    }),
  );
}

function endingOf(part: string): string {
  return part.slice(part.indexOf('}') + 1);
}

/** Does the segment have the suffix and something before it? */
function hasEnding(segment: string, ending: string): boolean {
  return segment.length > ending.length && segment.endsWith(ending);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
