import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Services } from '../core/context/context.ts';
import { startTrace } from '../core/context/telemetry.ts';
import { AppError } from '../core/errors.ts';
import { InProgress } from '../core/in-progress.ts';
import { RequestSignal } from '../core/signal.ts';
import { EXPLAIN } from './answer-page.ts';
import { createDispatch } from './dispatch.ts';
import type { Exchange } from './exchange.ts';
import { presentFailedPage } from './explain/answer-explain.ts';
import { createGraphQL } from './graphql/graphql.ts';
import { LAST_EVENTS, OpenStreams } from './graphql/open-streams.ts';
import type { TrustedDocuments } from './graphql/trusted-documents.ts';
import { createWebSocketFace } from './graphql/websocket.ts';
import { setCorsHeaders } from './http/cors.ts';
import { isHangUp } from './http/is-hang-up.ts';
import { familyOf, parseTarget } from './http/parse-target.ts';
import { toAppError } from '../core/failures/to-app-error.ts';
import { answerTimeOut, presentFailure } from './http/present-failure.ts';
import { createClientReader } from './http/read-client.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { sendReply } from './http/send-reply.ts';
import type { SignInOffer } from './pages/session-panel.ts';

/** A transfer without any progress for this long is cut off, in milliseconds. */
const TRANSFER_SILENCE = 60_000;

/** The reply to a WebSocket that is requested while the gateway stops. */
const STOPPING = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\n\r\n';

export interface App {
  handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Does the request ask for the WebSocket that `upgrade` accepts? Any other upgrade is ignored. */
  isUpgrade: (request: IncomingMessage) => boolean;
  /** Accepts WebSocket connections at the path of GraphQL. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /**
   * From now on every reply closes its connection. Streams get a last event and are cut, so that their clients come back
   * elsewhere.
   */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the handler of all requests: with `offersDemo`, its pages offer the demo logins; with `trusted`, it runs only
 * these GraphQL documents. It deals with request ids, time limits and failures; `dispatch` produces the replies.
 */
export function createApp(
  services: Services,
  offersDemo: boolean,
  trusted: TrustedDocuments | undefined,
): App {
  const { config, log, telemetry } = services;
  const { basePath } = config;
  const streams = new OpenStreams();
  const graphql = createGraphQL(services, streams, trusted);
  const readClient = createClientReader(config, log);
  const sockets = createWebSocketFace(services, graphql, readClient);
  const offer: SignInOffer = {
    demo: offersDemo,
    passwords: config.passwordSignIn,
    providers: services.oidc.flatMap(({ settings: { id, name, clientId } }) =>
      clientId === undefined ? [] : [{ id, name }],
    ),
  };
  const dispatch = createDispatch(services, graphql, readClient, offer);
  const unanswered = new InProgress<ServerResponse>();
  let draining = false;

  const answer = async (exchange: Exchange): Promise<void> => {
    const { request, response, trace, signal } = exchange;
    const { requestId } = trace;
    response.setHeader('x-request-id', requestId);
    setSecurityHeaders(response, config);
    setCorsHeaders(request, response, config);
    try {
      await dispatch(exchange);
    } catch (cause) {
      const error = toAppError(cause);
      if (error.code === 'E302' && !isHangUp(cause, signal)) {
        log.error(
          { err: error.cause ?? error, requestId, operation: trace.operation },
          'request failed',
        );
        trace.told = true;
      }
      if (error.code !== 'E302' && request.url?.replace(/\?.*/s, '') === basePath + EXPLAIN)
        return await sendReply(request, response, presentFailedPage({ basePath, offer }, error));
      await sendReply(request, response, presentFailure(exchange.family, error, requestId));
    }
  };

  /** Aborts when nobody waits for the reply any more: the client has disconnected, or the time is up. */
  const watch = (
    request: IncomingMessage,
    response: ServerResponse,
  ): Pick<Exchange, 'signal' | 'untimed'> => {
    const signal = new RequestSignal();
    const stop = (): void =>
      signal.abort(
        new AppError('E900', {
          status: 503,
          message: 'The request timed out, or the client closed the connection',
          graphqlCode: 'TIMEOUT',
        }),
      );
    const timer = setTimeout(() => {
      stop();
      void answerTimeOut(request, response, basePath);
    }, config.requestTimeoutMs);
    const answered = unanswered.add(response);
    response.once('close', () => {
      answered();
      clearTimeout(timer);
      if (!response.writableFinished) stop();
    });
    const untimed = (): void => {
      clearTimeout(timer);
      request.socket.setTimeout(TRANSFER_SILENCE);
      // Once an upload has arrived, the silence is ours: it waits to be decoded, which has its own time limit.
      if (request.method === 'POST') request.once('end', () => request.socket.setTimeout(0));
    };
    return { signal, untimed };
  };

  return {
    handle: (request, response) => {
      const { signal, untimed } = watch(request, response);
      if (draining) response.setHeader('connection', 'close');
      const trace = startTrace(requestIdOf(request), 'rest');
      const family = familyOf(request.url, basePath);
      telemetry.request(trace, request, response);
      telemetry
        .run(trace, () => answer({ request, response, trace, signal, untimed, family }))
        .catch((error: unknown) => {
          const level = isHangUp(error, signal) ? 'debug' : 'error';
          log[level]({ err: error, requestId: trace.requestId }, 'reply failed');
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
      if (draining) return void socket.end(STOPPING);
      sockets.upgrade(request, socket, head);
    },
    drain: async () => {
      draining = true;
      for (const response of unanswered)
        if (!response.headersSent) response.setHeader('connection', 'close');
      streams.stopping = true;
      const ended = services.changes.close();
      setTimeout(() => {
        streams.cut();
        sockets.close();
      }, LAST_EVENTS).unref();
      await ended;
    },
    close: async () => {
      await graphql.yoga.dispose();
    },
  };
}

/** The client's own id if it is well-formed, so that the logs of both sides can be joined; else a new one. */
function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}
