import { withETag } from '../../core/rest/etag.ts';
import type { RestReply, RestRequest, Route } from '../../core/rest/route.ts';
import { describeGateway } from './describe-gateway.ts';

/** May be cached by everybody, but must be revalidated each time. */
const headers = { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' };

/** Makes the function that answers GET /openapi.json; the document is generated on first request. */
export function createDocument(
  routes: readonly Route[],
  basePath: string,
): (request: Pick<RestRequest, 'headers'>) => RestReply {
  let body: string | undefined;
  return (request) => {
    body ??= JSON.stringify(describeGateway(routes, basePath));
    return withETag(request, { headers, body });
  };
}
