import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  getOperationAST,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import {
  handleProtocols,
  makeServer,
  type Context as SocketContext,
  type SubscribePayload,
} from 'graphql-ws';
import { WebSocketServer, type WebSocket } from 'ws';
import { identifyToken } from '../../accounts/oidc/identify-token.ts';
import { identifyViewer } from '../../auth/identify-viewer.ts';
import type { Context, Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { RequestSignal } from '../../core/signal.ts';
import { FewOfEach } from '../../core/turns/few-of-each.ts';
import { startTrace } from '../../core/context/telemetry.ts';
import { connectionToken } from './connection-token.ts';
import { presentWithoutHttp, unknownOperation } from './errors.ts';
import type { GraphQLServer } from './graphql.ts';
import type { Breakable } from './open-streams.ts';
import { outcomeOf } from './observe-operations.ts';
import { toAppError } from '../../core/failures/to-app-error.ts';
import type { ReadClient } from '../http/read-client.ts';
import { PacedSockets, TRY_AGAIN } from './paced-sockets.ts';
import { serveSocket } from './serve-socket.ts';
import { watchSession } from './watch-session.ts';

/** Longest message of a client, in bytes: one document with its variables. */
const MAX_MESSAGE_BYTES = 65_536;
/** A client that has not authenticated within this time is disconnected, in milliseconds. */
const INIT_TIMEOUT = 5_000;
/** Close code for a gateway that stops: the client should come back (RFC 6455, registry of close codes). */
const RESTART = 1012;

/** WebSockets of one user. */
const MOST_OF_USER = 300;

interface Extra extends Record<PropertyKey, unknown> {
  socket: WebSocket;
  request: IncomingMessage;
}

export interface WebSocketFace {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every connection, once it has the results of the queries and mutations in progress. */
  close(): void;
}

/**
 * The GraphQL surface over WebSocket (graphql-transport-ws): the same operations, limits and error shapes as over HTTP.
 * The token comes in `connection_init` or a header.
 */
export function createWebSocketFace(
  services: Services,
  graphql: GraphQLServer,
  readClient: ReadClient,
): WebSocketFace {
  const suggests = services.config.introspection;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols,
  });
  const paced = new PacedSockets(services.config.streamStallMs);
  const open = new FewOfEach(MOST_OF_USER, 'holding {count} WebSockets');
  const running = new WeakMap<ExecutionArgs, Enveloped & { socket: WebSocket }>();
  const runner = (args: ExecutionArgs): Enveloped & { socket: WebSocket } => {
    const enveloped = running.get(args);
    if (!enveloped) throw new Error('an operation is run before its context was made');
    return enveloped;
  };
  const observed = async <T extends ExecutionResult | AsyncIterableIterator<ExecutionResult>>(
    args: ExecutionArgs,
    work: () => Promise<T>,
  ): Promise<T> => {
    const { trace } = args.contextValue as Context;
    const result = await services.telemetry.run(trace, work);
    if (!(Symbol.asyncIterator in result) && result.errors)
      trace.outcome = outcomeOf(result.errors);
    services.telemetry.operation(trace);
    return result;
  };
  const contextOf = async (
    ctx: SocketContext<Record<string, unknown>, Extra>,
  ): Promise<Context> => {
    const { request } = ctx.extra;
    const token = connectionToken(ctx.connectionParams, request);
    const { address, baseUrl } = readClient(request);
    const requestId = randomUUID();
    const viewer = await identifyToken(services, token, () => ({
      ...{ surface: 'GRAPHQL', address: address || null, requestId },
    })).identified;
    return {
      ...services,
      viewer,
      customer: null,
      requestId,
      trace: startTrace(requestId, 'websocket'),
      remoteAddress: address,
      baseUrl,
      token,
    };
  };
  const prepare = async (
    ctx: SocketContext<Record<string, unknown>, Extra>,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    let context: Context;
    try {
      context = await contextOf(ctx);
      if (!context.viewer) throw new AppError('E202');
      await services.callLimits.take(context);
    } catch (error) {
      return [presentWithoutHttp(error)];
    }
    const breakable: Breakable = {
      breakOff: () => void paced.of(ctx.extra.socket).close(TRY_AGAIN, 'Too slow'),
    };
    const enveloped: Enveloped = graphql.yoga.getEnveloped({
      params: payload,
      ...context,
      ...breakable,
    });
    let document: DocumentNode;
    try {
      document = await enveloped.parse(payload.query);
    } catch (error) {
      return [presentWithoutHttp(error)];
    }
    const faults = enveloped.validate(enveloped.schema, document);
    if (faults.length > 0) return faults.map((fault) => presentWithoutHttp(fault, suggests));
    if (!getOperationAST(document, payload.operationName)) return [unknownOperation()];
    const args: ExecutionArgs = {
      schema: enveloped.schema,
      document,
      operationName: payload.operationName ?? null,
      variableValues: payload.variables ?? null,
      contextValue: await enveloped.contextFactory(),
    };
    running.set(args, { ...enveloped, socket: ctx.extra.socket });
    return args;
  };
  const messages = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: INIT_TIMEOUT,
    onConnect: async (ctx) => {
      try {
        const { viewer } = await contextOf(ctx);
        if (!viewer) return false;
        const { socket } = ctx.extra;
        if (socket.readyState === socket.OPEN) socket.once('close', open.take(viewer.userId));
      } catch (error) {
        const { status, message } = toAppError(error);
        if (status !== 503 && status !== 429) throw error;
        ctx.extra.socket.close(TRY_AGAIN, message);
        return false;
      }
      const token = connectionToken(ctx.connectionParams, ctx.extra.request);
      watchSession(ctx.extra.socket, async () => {
        const viewer = await identifyViewer(services, token, { idle: true });
        // Its streams first: they tell their reason.
        if (!viewer) await services.changes.endSessions();
        return viewer !== null;
      });
      return true;
    },
    onSubscribe: (ctx, _, payload) => {
      const { socket } = ctx.extra;
      return paced.of(socket).inTurn(async () =>
        // What can't be answered any more must not run: the client sends it again.
        socket.readyState === socket.OPEN
          ? prepare(ctx, payload)
          : [presentWithoutHttp(new AppError('E902'))],
      );
    },
    execute: (args) => {
      const { socket, execute } = runner(args);
      const { viewer } = args.contextValue as Context;
      const run = (): Promise<ExecutionResult> => execute(args);
      const gone = new RequestSignal();
      const leave = (): void => gone.abort(new AppError('E902'));
      socket.once('close', leave);
      return paced
        .of(socket)
        .add(
          observed(args, () =>
            viewer ? services.turns.run(viewer.domainId, gone, run) : run(),
          ).finally(() => socket.off('close', leave)),
        );
    },
    subscribe: (args) => observed(args, () => runner(args).subscribe(args)),
    onNext: (...[, , , , result]) =>
      result.errors
        ? {
            data: result.data ?? null,
            errors: result.errors.map((error) => presentWithoutHttp(error, suggests).toJSON()),
            ...(result.extensions && { extensions: result.extensions }),
          }
        : undefined,
  });
  return {
    upgrade: (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (client) => {
        // Each query in progress listens for the end of its connection: more than ten are no leak.
        client.setMaxListeners(0);
        paced.add(client, request.socket);
        const { log } = services;
        serveSocket(messages, client, { extra: { socket: client, request }, log });
        // ws closes the connection with the right code.
        client.on('error', (error) => log.debug({ err: error }, 'unusable WebSocket message'));
      }),
    close: () => {
      for (const client of server.clients) void paced.of(client).close(RESTART, 'Service Restart');
    },
  };
}

/** Runs an operation with all plugins of HTTP requests. */
interface Enveloped {
  schema: GraphQLSchema;
  parse: (source: string) => DocumentNode | Promise<DocumentNode>;
  validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[];
  contextFactory: () => Context | PromiseLike<Context>;
  execute: (args: ExecutionArgs) => Promise<ExecutionResult>;
  subscribe: (
    args: ExecutionArgs,
  ) => Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
}
