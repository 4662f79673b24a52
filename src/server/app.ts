import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context, Services } from '../core/context/context.ts';
import { AppError } from '../core/errors.ts';
import type { RouteFamily } from '../core/rest/route.ts';
import { RequestSignal, type Signal } from '../core/signal.ts';
import { startTrace, type Trace } from '../core/context/telemetry.ts';
import type { Viewer } from '../core/context/viewer.ts';
import { answerViewer } from './http/answer-viewer.ts';
import { createGraphQL } from './graphql/graphql.ts';
import { answerLean, leanMediaType } from './graphql/fast/fast-lane.ts';
import { preflightHeaders, setCorsHeaders } from './http/cors.ts';
import { answerExplain, presentFailedPage } from './explain/answer-explain.ts';
import { createHealth } from './http/health.ts';
import { identifyCaller } from './http/identify-caller.ts';
import { UNKNOWN } from './legacy-usage/usage-names.ts';
import { compileRoutes } from './routes/match-route.ts';
import { createDocs } from './openapi/serve-docs.ts';
import { isHangUp } from './http/is-hang-up.ts';
import { familyOf, parseTarget } from './http/parse-target.ts';
import { presentError, toAppError } from './http/present-error.ts';
import { MAX_BODY_BYTES, readBytes } from './http/read-body.ts';
import { createClientReader } from './http/read-client.ts';
import { runRouteOnReplica } from './rest/read-from-replica.ts';
import { routes } from './routes/routes.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { cutStalled, sendReply, type Reply } from './http/send-reply.ts';
import { createWebSocketFace } from './graphql/websocket.ts';

/** A transfer on which nothing moves for this long is cut off, in milliseconds. */
const TRANSFER_SILENCE = 60_000;

/** The page for people who come from the REST paths. */
const EXPLAIN = '/explain';

export interface App {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Does a request ask for what `upgrade` takes? Any other is answered as if it had not asked. */
  isUpgrade: (request: IncomingMessage) => boolean;
  /** Takes WebSocket connections at the path of GraphQL. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Ends every stream with a last event, so that the server can close. */
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

/** Methods of the path of GraphQL. */
const GRAPHQL_METHODS = 'GET, POST, OPTIONS';

/** What says who asks GraphQL. */
const IDENTITY_HEADERS = 'X-service-csrf-token-X, Authorization, API-Key, customerId';

interface Timer {
  /** Lets the request take as long as something moves. */
  untimed: () => void;
  /** Aborted when nobody waits for the answer any more. */
  signal: Signal;
}

/** Makes what answers every request: health, GraphQL, and the documented REST paths under `BASE_PATH`. */
export async function createApp(services: Services): Promise<App> {
  const graphql = await createGraphQL(services);
  const readClient = createClientReader(services.config, services.log);
  const sockets = createWebSocketFace(services, graphql, readClient);
  const match = compileRoutes(routes);
  const { basePath } = services.config;
  const docs = createDocs(routes, basePath);
  const health = createHealth(services);

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    trace: Trace,
    { untimed, signal }: Timer,
  ): Promise<void> => {
    const { requestId } = trace;
    response.setHeader('x-request-id', requestId);
    setSecurityHeaders(response, services.config, false);
    setCorsHeaders(request, response, services.config);
    let family: RouteFamily | 'graphql' = familyOf(request.url, basePath);
    try {
      const { pathname, query } = parseTarget(request, basePath);
      if (pathname === '/healthz' || pathname === '/readyz') {
        trace.operation = pathname.slice(1);
        return await sendReply(request, response, await health(pathname));
      }
      const documentation = docs(pathname, request);
      if (documentation) {
        trace.operation = 'documentation';
        if (request.method === 'GET' || request.method === 'HEAD')
          return await sendReply(request, response, { status: 200, ...documentation });
        throw new AppError('E900', {
          status: 405,
          message: 'Allowed methods: GET, HEAD, OPTIONS',
          graphqlCode: 'METHOD_NOT_ALLOWED',
          headers: { allow: 'GET, HEAD, OPTIONS' },
        });
      }
      if (pathname === '/' && services.config.graphiql) {
        return await sendReply(request, response, {
          status: 302,
          headers: { location: `${basePath}/graphql` },
          body: '',
        });
      }
      if (pathname === EXPLAIN) {
        trace.operation = 'explain';
        const { address, baseUrl } = readClient(request);
        for (const [name, value] of Object.entries(await services.callLimits.takeFrom(address)))
          response.setHeader(name, value);
        return await sendReply(
          request,
          response,
          await answerExplain(services.config, request, { query, baseUrl }),
        );
      }
      const isGraphQL = pathname === '/graphql';
      const found = isGraphQL ? undefined : match(request.method ?? 'GET', pathname);
      if (isGraphQL && request.method === 'OPTIONS')
        return await sendReply(request, response, options(request, response, GRAPHQL_METHODS));
      if (!isGraphQL && !found) {
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
      family = found?.family ?? family;
      if (found && 'allowed' in found) {
        const allow = [...found.allowed, 'OPTIONS'].join(', ');
        if (request.method === 'OPTIONS')
          return await sendReply(request, response, options(request, response, allow));
        throw new AppError('E900', {
          status: 405,
          message: `Allowed methods: ${allow}`,
          graphqlCode: 'METHOD_NOT_ALLOWED',
          headers: { allow },
        });
      }
      trace.face = isGraphQL ? 'graphql' : 'rest';
      trace.operation = found?.route.operation ?? 'graphql';
      trace.path = found?.route.path ?? '';
      if (isGraphQL) {
        response.setHeader('cache-control', 'no-store');
        response.appendHeader('vary', IDENTITY_HEADERS);
        refuseUnsafeGraphQL(request);
      }
      const lean = isGraphQL && services.fastLane ? leanMediaType(request) : undefined;
      const body = lean === undefined ? undefined : await readBytes(request);
      if (found?.route.transfer) untimed();
      const { customer, identified, recalled, token } = await identifyCaller(
        services,
        request,
        found?.route,
      );
      let counted: string | undefined;
      const contextOf = async (
        viewer: Viewer | null,
        more: Pick<Context, 'identified'> = {},
      ): Promise<Context> => {
        const caller = viewer?.sessionId ?? '';
        if (counted !== caller)
          for (const [name, value] of Object.entries(
            await services.callLimits.take({ viewer, customer }),
          ))
            response.setHeader(name, value);
        counted = caller;
        trace.outcome = 'ok';
        const { address, baseUrl } = readClient(request);
        // The spread stands last, here and wherever a request passes: V8 takes up to 2 µs for each property that is added behind one, 16 for these.
        return {
          viewer,
          customer,
          requestId,
          trace,
          remoteAddress: address,
          baseUrl,
          token,
          signal,
          identified: more.identified,
          ...services,
        };
      };
      if (found) {
        const { route, path } = found;
        const early = route.method === 'GET' && !route.transfer ? recalled : undefined;
        return await sendReply(
          request,
          response,
          await answerViewer(identified, early, async (viewer) => {
            const ctx = await contextOf(viewer, viewer === early ? { identified } : {});
            return runRouteOnReplica(ctx, route, request, { path, query });
          }),
        );
      }
      if (services.config.graphiql && request.headers.accept?.includes('text/html'))
        setSecurityHeaders(response, services.config, true);
      if (lean !== undefined && body) {
        return await sendReply(
          request,
          response,
          await answerViewer(identified, recalled, async (viewer) => {
            const ctx = await contextOf(viewer, viewer === recalled ? { identified } : {});
            return answerLean(graphql, request, { mediaType: lean, body }, ctx);
          }),
        );
      }
      if (request.headers.accept?.includes('text/event-stream'))
        cutStalled(response, services.config.streamStallMs);
      await graphql(request, response, await contextOf(await identified));
    } catch (cause) {
      const error = toAppError(cause);
      if (error.code === 'E302' && !isHangUp(cause, signal)) {
        services.log.error(
          { err: error.cause ?? error, requestId, operation: trace.operation },
          'request failed',
        );
        trace.told = true;
      }
      if (error.code !== 'E302' && request.url?.replace(/\?.*$/s, '') === basePath + EXPLAIN)
        return await sendReply(request, response, presentFailedPage(basePath, error));
      await sendReply(request, response, failure(family, error, requestId));
    }
  };

  return {
    handle: (request, response) => {
      const signal = new RequestSignal();
      const stop = (): void =>
        signal.abort(
          new AppError('E900', {
            status: 503,
            message: 'Nobody waits for the answer any more',
            graphqlCode: 'TIMEOUT',
          }),
        );
      const timer = setTimeout(() => {
        stop();
        void timeOut(request, response, basePath);
      }, services.config.requestTimeoutMs);
      response.once('close', () => {
        clearTimeout(timer);
        if (!response.writableFinished) stop();
      });
      const untimed = (): void => {
        clearTimeout(timer);
        request.socket.setTimeout(TRANSFER_SILENCE);
        // Once an upload is there the silence is ours: it waits for its turn to be read, which has a limit of its own.
        if (request.method === 'POST') request.once('end', () => request.socket.setTimeout(0));
      };
      const trace = startTrace(requestIdOf(request), 'rest');
      services.telemetry.request(trace, request, response);
      services.telemetry
        .run(trace, () => answer(request, response, trace, { untimed, signal }))
        .catch((error: unknown) => {
          const level = isHangUp(error, signal) ? 'debug' : 'error';
          services.log[level]({ err: error, requestId: trace.requestId }, 'reply failed');
          response.destroy();
        });
    },
    isUpgrade: (request) => {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
      try {
        return parseTarget(request, basePath).pathname === '/graphql';
      } catch {
        return false;
      }
    },
    upgrade: (request, socket, head) => {
      socket.on('error', () => socket.destroy());
      sockets.upgrade(request, socket, head);
    },
    endStreams: async () => {
      await services.changes.close();
      setTimeout(() => sockets.close(), 250).unref();
    },
    close: async () => {
      await graphql.dispose();
    },
  };
}

/** Browsers send these media types across origins without asking; only requests with a header of ours, which they ask for, may use them (F011). */
function refuseUnsafeGraphQL(request: IncomingMessage): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    throw new AppError('E903', { message: `The body is larger than ${MAX_BODY_BYTES} bytes` });
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new AppError('E903', { status: 415, message: 'Encoded bodies are not supported' });
  const mediaType =
    (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const asksFirst = ['x-service-csrf-token-x', 'authorization', 'x-requested-with'].some(
    (name) => request.headers[name] !== undefined,
  );
  if (
    request.method === 'POST' &&
    !asksFirst &&
    /^(|text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)$/.test(mediaType)
  ) {
    throw new AppError('E903', { status: 415, message: 'Send application/json' });
  }
}

/** The error body of a face or document. */
function failure(family: RouteFamily | 'graphql', error: AppError, requestId: string): Reply {
  if (family !== 'graphql') return presentError(family, error, requestId);
  const retryAfter = error.headers['retry-after'];
  const body = JSON.stringify({
    errors: [
      {
        message: error.message,
        extensions: {
          code: error.graphqlCode,
          legacyCode: error.code,
          ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
        },
      },
    ],
  });
  return { status: error.status, headers: { ...error.headers, 'x-error-code': error.code }, body };
}

/** What may be done at a path. */
function options(request: IncomingMessage, response: ServerResponse, allow: string): Reply {
  return {
    status: 204,
    headers: { allow, ...preflightHeaders(request, response, allow) },
    body: '',
  };
}

/** The client's own id if it is harmless, so that logs of both sides can be joined; else a new one. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}

/** A request that takes too long is answered 503, one that has not arrived by then 408; an answer that has begun is cut off. */
async function timeOut(
  request: IncomingMessage,
  response: ServerResponse,
  basePath: string,
): Promise<void> {
  if (response.headersSent) {
    if (response.getHeader('content-type')?.toString().startsWith('text/event-stream')) return;
    response.destroy();
    return;
  }
  const error = request.complete
    ? new AppError('E302', {
        status: 503,
        message: 'The request took too long',
        graphqlCode: 'TIMEOUT',
        headers: { 'retry-after': '2' },
      })
    : new AppError('E900', {
        status: 408,
        message: 'The request did not arrive in time',
        graphqlCode: 'TIMEOUT',
      });
  await sendReply(
    request,
    response,
    failure(
      familyOf(request.url, basePath),
      error,
      String(response.getHeader('x-request-id') ?? ''),
    ),
  );
}
