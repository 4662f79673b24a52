import { withETag } from '../../core/rest/etag.ts';
import type { RestReply, RestRequest, Route } from '../../core/rest/route.ts';
import { dayOf, type Day } from '../../core/time/days.ts';
import { describeGateway } from './describe-gateway.ts';

/** May be cached by everybody, but must be revalidated each time. */
const headers = { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' };

/** Makes the function that answers GET /openapi.json; the document is generated on the first request of a day. */
export function createDocument(
  routes: readonly Route[],
  basePath: string,
): (request: Pick<RestRequest, 'headers'>) => RestReply {
  let made: { day: Day; body: string } | undefined;
  return (request) => {
    const day = dayOf(Date.now());
    if (made?.day !== day)
      made = { day, body: JSON.stringify(describeGateway(routes, basePath, day)) };
    return withETag(request, { headers, body: made.body });
  };
}
