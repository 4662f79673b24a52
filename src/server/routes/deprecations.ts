import type { Route } from '../../core/rest/route.ts';

/**
 * A deprecated path (D-82, D-83): no path is removed before its sunset, which is at least twelve months after its
 * deprecation.
 */
export interface Deprecation {
  /** First day of its deprecation, UTC. */
  since: string;
  /** First day on which it may be removed, UTC. */
  sunset: string;
  /** Path that replaces it. */
  successor: string;
}

/** The deprecated paths, with their dates. */
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
