import { withETag } from '../../core/rest/etag.ts';
import type { RestReply, RestRequest, Route } from '../../core/rest/route.ts';
import { describeGateway } from './describe-gateway.ts';
import { docsPolicy, renderDocs } from './docs-page.ts';

/** May be cached by everybody, but must be revalidated each time. */
const shared = { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' };

/**
 * Makes the function that answers GET /openapi.json and GET /docs; undefined for any other path. Both are generated on
 * first request.
 */
export function createDocs(
  routes: readonly Route[],
  basePath: string,
): (pathname: string, request: Pick<RestRequest, 'headers'>) => RestReply | undefined {
  const made = new Map<string, RestReply & { body: string }>();
  const make: Record<string, () => RestReply & { body: string }> = {
    '/openapi.json': () => ({
      headers: shared,
      body: JSON.stringify(describeGateway(routes, basePath)),
    }),
    '/docs': () => ({
      headers: {
        ...shared,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': docsPolicy,
        'referrer-policy': 'no-referrer',
      },
      body: renderDocs(describeGateway(routes, basePath)),
    }),
  };
  return (pathname, request) => {
    if (!Object.hasOwn(make, pathname)) return undefined;
    const reply = made.get(pathname) ?? make[pathname]?.();
    if (!reply) return undefined;
    made.set(pathname, reply);
    return withETag(request, reply);
  };
}
