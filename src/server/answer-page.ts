import type { IncomingMessage } from 'node:http';
import type { Services } from '../core/context/context.ts';
import type { Reply, RestReply } from '../core/rest/route.ts';
import type { Exchange } from './exchange.ts';
import { answerExplain } from './explain/answer-explain.ts';
import { answerOptions } from './http/cors.ts';
import { createHealth } from './http/health.ts';
import type { Target } from './http/parse-target.ts';
import type { ReadClient } from './http/read-client.ts';
import { refuseMethod } from './http/refuse-method.ts';
import { createDocument } from './openapi/serve-document.ts';
import { datasetsAssets, presentDatasets } from './pages/datasets-page.ts';
import { docsAssets, presentDocs } from './pages/docs-page.ts';
import { presentFront } from './pages/front-page.ts';
import { graphiqlAssets, presentGraphiQL } from './pages/graphiql-page.ts';
import { routes } from './routes/routes.ts';
import type { SignInOffer } from './pages/session-panel.ts';
import { answerSignIn, SIGN_IN } from './pages/sign-in-pages.ts';

/** Path of the page that translates REST requests. */
export const EXPLAIN = '/explain';

/** Methods at the paths of pages, and at EXPLAIN. */
const READ = 'GET, HEAD, OPTIONS';
const TRANSLATE = 'GET, HEAD, POST, OPTIONS';

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
    const readable = (operation: string, reply: RestReply): Reply => {
      trace.operation = operation;
      if (request.method === 'GET' || request.method === 'HEAD') return { status: 200, ...reply };
      if (request.method === 'OPTIONS') return answerOptions(request, response, READ);
      throw refuseMethod(READ);
    };
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
    if (documentation) return readable('documentation', documentation);
    if (pathname === '/') return readable('front', front);
    const datasets =
      pathname === '/datasets'
        ? await presentDatasets(basePath, offer)
        : pathname.startsWith(ASSETS) && (await datasetsAssets.answer(request, pathname));
    if (datasets) return readable('datasets', datasets);
    if (graphiql) {
      const page =
        pathname === '/graphql'
          ? wantsPage(request) &&
            (await presentGraphiQL({ basePath, offer, now: services.clock() }))
          : pathname.startsWith(ASSETS) && (await graphiqlAssets.answer(request, pathname));
      if (page) return readable('graphiql', page);
    }
    const signIn =
      pathname.startsWith(SIGN_IN) &&
      (await answerSignIn(services, pathname, {
        ...{ request, requestId: trace.requestId, query, ...readClient(request) },
      }));
    if (signIn) {
      trace.operation = 'signInAtProvider';
      return signIn;
    }
    if (pathname !== EXPLAIN) return undefined;
    trace.operation = 'explain';
    if (request.method === 'OPTIONS') return answerOptions(request, response, TRANSLATE);
    if (!['GET', 'HEAD', 'POST'].includes(request.method ?? '')) throw refuseMethod(TRANSLATE);
    const { address, baseUrl } = readClient(request);
    const limits = await services.callLimits.takeFrom(address, 'translations');
    response.setHeaders(new Map(Object.entries(limits)));
    return answerExplain(services.config, request, { query, baseUrl, offer });
  };
}

/** Is it a browser that opens a page? */
function wantsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}
