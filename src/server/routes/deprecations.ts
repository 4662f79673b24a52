import type { Route } from '../../core/rest/route.ts';

/** A path that is on its way out (D-82, D-83): nothing goes before its sunset, which is at least twelve months after it was deprecated. */
export interface Deprecation {
  /** First day on which it counts as deprecated, UTC. */
  since: string;
  /** First day on which it may be gone, UTC. */
  sunset: string;
  /** Path that does the same. */
  successor: string;
}

/** The deprecated paths. The only place where their dates stand. */
export const deprecations: Readonly<Record<string, Deprecation>> = {
  '/service/rtm/getCalendarData': {
    since: '2026-12-01',
    sunset: '2028-01-01',
    successor: '/task/v1/calendar',
  },
  '/service/execute/getLeadershipCalendarData': {
    since: '2026-12-01',
    sunset: '2028-01-01',
    successor: '/task/v1/calendar/leadership',
  },
};

/** Deprecation (RFC 9745), Sunset (RFC 8594) and Link of a deprecated route, for every reply to it. */
export function deprecationHeaders(
  route: Pick<Route, 'path'>,
  basePath: string,
): Record<string, string> {
  const deprecation = deprecations[route.path];
  if (!deprecation) return {};
  return {
    deprecation: `@${Date.parse(deprecation.since) / 1000}`,
    sunset: new Date(deprecation.sunset).toUTCString(),
    link: `<${basePath}${deprecation.successor}>; rel="successor-version"`,
  };
}
