import type { Context, Services } from '../core/context/context.ts';
import type { Viewer } from '../core/context/viewer.ts';
import type { Whence } from '../accounts/oidc/identify-token.ts';
import { AppError } from '../core/errors.ts';
import { createPages } from './answer-page.ts';
import type { Exchange } from './exchange.ts';
import { acceptedTypes } from './http/accepted-types.ts';
import { answerLean, isLean, sendEvents, Subscribed } from './graphql/fast/fast-lane.ts';
import type { GraphQLServer } from './graphql/graphql.ts';
import { answerOptions } from './http/cors.ts';
import { answerViewer, identifyCaller } from './http/identify-caller.ts';
import { parseTarget } from './http/parse-target.ts';
import { decodeBody, readBytes } from './http/read-body.ts';
import type { ReadClient } from './http/read-client.ts';
import { refuseMethod } from './http/refuse-method.ts';
import { refuseUnsafeGraphQL } from './http/refuse-unsafe-graphql.ts';
import { countWaiting, limitReply } from './http/answers-sent.ts';
import { cutStalled, sendReply } from './http/send-reply.ts';
import { UNKNOWN } from './legacy-usage/usage-names.ts';
import type { SignInOffer } from './pages/session-panel.ts';
import { runRoute } from './rest/run-route.ts';
import { compileRoutes, type RouteMatch } from './routes/match-route.ts';
import { routes } from './routes/routes.ts';
import { takeTurn, type Turn } from './take-turn.ts';

/** Allowed methods at the path of GraphQL. */
const GRAPHQL_METHODS = 'GET, POST, OPTIONS';

/** Headers that identify the caller of GraphQL. */
const IDENTITY_HEADERS = 'X-service-csrf-token-X, Authorization, API-Key, customerId';

/** The route of a request with its path parameters. */
type Found = Extract<RouteMatch, { route: unknown }>;

/**
 * Finds out what a request is for and answers it: a page, GraphQL, or a route. Failures are thrown, and presented by
 * app.ts.
 */
export function createDispatch(
  services: Services,
  graphql: GraphQLServer,
  readClient: ReadClient,
  offer: SignInOffer,
): (exchange: Exchange) => Promise<void> {
  const match = compileRoutes(routes);
  const answerPage = createPages(services, readClient, offer);
  const { turns } = services;
  const { basePath } = services.config;

  /** Makes the context of an operation, once per viewer; the call is counted only once per caller. */
  const contexts = (
    { request, response, trace, signal }: Exchange,
    { customer, scim, token }: Pick<Context, 'customer' | 'scim' | 'token'>,
    turn: Turn | undefined,
  ) => {
    let counted: string | undefined;
    return async (
      viewer: Viewer | null,
      more: Pick<Context, 'identified' | 'fragments'> = {},
    ): Promise<Context> => {
      const caller = viewer?.sessionId ?? '';
      if (counted !== caller)
        for (const [name, value] of Object.entries(
          await services.callLimits.take({ viewer, customer, scim }),
        ))
          response.setHeader(name, value);
      counted = caller;
      const domainId = (viewer ?? scim ?? customer)?.domainId;
      const wait = domainId === undefined ? undefined : turn?.begin(domainId);
      if (wait) await wait;
      trace.outcome = 'ok';
      const { address, baseUrl } = readClient(request);
      // The spread must be last, here and wherever contexts are copied: V8 takes up to 2 µs for each property added
      // after one, 16 µs for these.
      return {
        viewer,
        customer,
        scim,
        requestId: trace.requestId,
        trace,
        remoteAddress: address,
        baseUrl,
        token,
        signal,
        identified: more.identified,
        fragments: more.fragments,
        res: response,
        ...services,
      };
    };
  };

  const whence =
    ({ request, trace }: Exchange): Whence =>
    () => ({
      surface: trace.surface === 'rest' ? 'REST' : 'GRAPHQL',
      address: readClient(request).address || null,
      requestId: trace.requestId,
    });

  const answerRoute = async (
    exchange: Exchange,
    { route, path }: Found,
    query: URLSearchParams,
  ): Promise<void> => {
    const { request, response, trace } = exchange;
    trace.surface = 'rest';
    trace.operation = route.operation;
    trace.path = route.path;
    if (route.transfer) exchange.untimed();
    const caller = await identifyCaller(services, request, route, whence(exchange));
    // A transfer takes as long as its client does.
    const turn = route.transfer ? undefined : takeTurn(turns, exchange.signal);
    const contextOf = contexts(exchange, caller, turn);
    const early = route.method === 'GET' && !route.transfer ? caller.cached : undefined;
    const reply = await answerViewer(caller.identified, early, async (viewer) => {
      const ctx = await contextOf(
        viewer,
        viewer === early ? { identified: caller.identified } : {},
      );
      return runRoute(ctx, route, request, { path, query });
    }).finally(() => turn?.end());
    limitReply(reply, response, route.method === 'GET');
    await sendReply(request, response, reply);
  };

  const answerLines = async (exchange: Exchange, isJson: boolean): Promise<void> => {
    const { request, response } = exchange;
    // The end of a reply over HTTP/1.0 looks like one that broke off.
    if (!isJson || request.httpVersion === '1.0')
      throw new AppError('E900', {
        status: 406,
        message: 'application/jsonl answers a POST of application/json, over HTTP/1.1',
        graphqlCode: 'NOT_ACCEPTABLE',
      });
    const turn = takeTurn(turns, exchange.signal);
    let contextOf: ReturnType<typeof contexts> | undefined;
    const reply = await graphql.answerLines(decodeBody(await readBytes(request)), {
      contextOf: async () => {
        const caller = await identifyCaller(services, request, undefined, whence(exchange));
        contextOf ??= contexts(exchange, caller, turn);
        return contextOf(await caller.identified);
      },
      endTurn: turn.end,
      untimed: exchange.untimed,
    });
    await sendReply(request, response, reply);
  };

  const answerGraphQL = async (exchange: Exchange): Promise<void> => {
    const { request, response, trace } = exchange;
    trace.surface = 'graphql';
    trace.operation = 'graphql';
    trace.path = '';
    response.setHeader('cache-control', 'no-store');
    response.appendHeader('vary', IDENTITY_HEADERS);
    if (!['GET', 'POST'].includes(request.method ?? ''))
      throw refuseMethod(GRAPHQL_METHODS, 'BAD_REQUEST');
    refuseUnsafeGraphQL(request);
    const accepted = acceptedTypes(request.headers.accept);
    const { result, events, parts, lines } = accepted;
    if (result === undefined && !events && !parts && !lines)
      throw new AppError('E900', {
        status: 406,
        message: 'Accept allows no type of answer: send application/json',
        graphqlCode: 'NOT_ACCEPTABLE',
      });
    const lean = isLean(request, accepted);
    if (lines && (lean || result === undefined)) return answerLines(exchange, lean);
    const body = services.fastLane && lean ? decodeBody(await readBytes(request)) : undefined;
    const caller = await identifyCaller(services, request, undefined, whence(exchange));
    const { identified, cached } = caller;
    // A stream holds no turn once it has begun.
    const turn = takeTurn(turns, exchange.signal);
    const contextOf = contexts(exchange, caller, turn);
    if (body !== undefined) {
      const reply = await answerViewer(identified, cached, (viewer) =>
        answerLean(graphql, request, { accepted, body }, (fragments) =>
          contextOf(viewer, {
            fragments,
            identified: viewer === cached ? identified : undefined,
          }),
        ),
      ).finally(turn.end);
      return reply instanceof Subscribed
        ? sendEvents(response, reply, services.config.streamStallMs)
        : sendReply(request, response, reply);
    }
    if (events) {
      cutStalled(response, services.config.streamStallMs);
      countWaiting(response);
    }
    try {
      await graphql.yoga(request, response, await contextOf(await identified));
    } finally {
      turn.end();
    }
  };

  return async (exchange) => {
    const { request, response } = exchange;
    const target = parseTarget(request, basePath);
    const { pathname, query } = target;
    const page = await answerPage(exchange, target);
    if (page) return sendReply(request, response, page);
    if (pathname === '/graphql')
      return request.method === 'OPTIONS'
        ? sendReply(request, response, answerOptions(request, response, GRAPHQL_METHODS))
        : answerGraphQL(exchange);
    const found = match(request.method ?? 'GET', pathname);
    if (!found) {
      services.usage.note({
        domainId: null,
        method: UNKNOWN,
        path: UNKNOWN,
        client: UNKNOWN,
        parameters: [],
      });
      throw new AppError('E404', {
        status: 404,
        message: 'Unknown path',
        graphqlCode: 'UNKNOWN_PATH',
      });
    }
    exchange.family = found.family ?? exchange.family;
    if (!('allowed' in found)) return answerRoute(exchange, found, query);
    const allow = [...found.allowed, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS')
      return sendReply(request, response, answerOptions(request, response, allow));
    throw refuseMethod(allow);
  };
}
