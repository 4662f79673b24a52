import type { IncomingMessage } from 'node:http';
import type { Services } from '../core/context/context.ts';
import { AppError } from '../core/errors.ts';
import type { Reply, RestReply } from '../core/rest/route.ts';
import type { Exchange } from './exchange.ts';
import { answerExplain } from './explain/answer-explain.ts';
import { createHealth } from './http/health.ts';
import type { Target } from './http/parse-target.ts';
import type { ReadClient } from './http/read-client.ts';
import { createDocument } from './openapi/serve-document.ts';
import { datasetsAssets, presentDatasets } from './pages/datasets-page.ts';
import { docsAssets, presentDocs } from './pages/docs-page.ts';
import { presentFront } from './pages/front-page.ts';
import { graphiqlAssets, presentGraphiQL } from './pages/graphiql-page.ts';
import { routes } from './routes/routes.ts';
import type { SignInOffer } from './pages/session-panel.ts';
import { answerSignIn } from './pages/sign-in-pages.ts';

/** Path of the page that translates REST requests. */
export const EXPLAIN = '/explain';

/** Files of pages are below it. */
const ASSETS = '/assets/';

/**
 * Answers paths that are neither GraphQL nor documented: health, API documents, and pages for people. `undefined` for
 * any other path.
 */
export type AnswerPage = (exchange: Exchange, target: Target) => Promise<Reply | undefined>;

export function createPages(
  services: Services,
  readClient: ReadClient,
  offer: SignInOffer,
): AnswerPage {
  const { basePath, graphiql } = services.config;
  const front = presentFront({ basePath, graphiql, offer });
  const document = createDocument(routes, basePath);
  const health = createHealth(services);

  return async ({ request, response, trace }, { pathname, query }) => {
    if (pathname === '/healthz' || pathname === '/readyz') {
      trace.operation = pathname.slice(1);
      return health(pathname);
    }
    const documentation =
      pathname === '/openapi.json'
        ? document(request)
        : pathname === '/docs'
          ? await presentDocs(basePath, offer)
          : pathname.startsWith(ASSETS)
            ? await docsAssets.answer(request, pathname)
            : undefined;
    if (documentation) {
      trace.operation = 'documentation';
      return readable(request, documentation);
    }
    if (pathname === '/') {
      trace.operation = 'front';
      return readable(request, front);
    }
    const datasets =
      pathname === '/datasets'
        ? await presentDatasets(basePath, offer)
        : pathname.startsWith(ASSETS) && (await datasetsAssets.answer(request, pathname));
    if (datasets) {
      trace.operation = 'datasets';
      return readable(request, datasets);
    }
    if (graphiql) {
      const page =
        pathname === '/graphql'
          ? wantsPage(request) &&
            (await presentGraphiQL({ basePath, offer, now: services.clock() }))
          : pathname.startsWith(ASSETS) && (await graphiqlAssets.answer(request, pathname));
      if (page) {
        trace.operation = 'graphiql';
        return readable(request, page);
      }
    }
    const signIn = await answerSignIn(services, pathname, {
      ...{ request, requestId: trace.requestId, query, ...readClient(request) },
    });
    if (signIn) {
      trace.operation = 'signInAtProvider';
      return signIn;
    }
    if (pathname !== EXPLAIN) return undefined;
    trace.operation = 'explain';
    const { address, baseUrl } = readClient(request);
    for (const [name, value] of Object.entries(
      await services.callLimits.takeFrom(address, 'translations'),
    ))
      response.setHeader(name, value);
    return answerExplain(services.config, request, { query, baseUrl, offer });
  };
}

/** Is it a browser that opens a page? */
function wantsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/** The reply to GET and HEAD; other methods are refused. */
function readable({ method }: IncomingMessage, reply: RestReply): Reply {
  if (method === 'GET' || method === 'HEAD') return { status: 200, ...reply };
  throw new AppError('E900', {
    status: 405,
    message: 'Allowed methods: GET, HEAD, OPTIONS',
    graphqlCode: 'METHOD_NOT_ALLOWED',
    headers: { allow: 'GET, HEAD, OPTIONS' },
  });
}
