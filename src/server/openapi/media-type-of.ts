import type { Route } from '../../core/rest/route.ts';

/** The media type of JSON in the answers of a route. */
export function mediaTypeOf({ family }: Pick<Route, 'family'>): string {
  return family === 'scim' ? 'application/scim+json' : 'application/json';
}
