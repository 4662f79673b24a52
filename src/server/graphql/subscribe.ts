import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { YogaInitialContext } from 'graphql-yoga';
import type { Context, Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { EventStream } from '../../core/streams/event-stream.ts';
import { onEvents } from '../../core/turns/share-of-turn.ts';
import { acceptedTypes } from '../http/accepted-types.ts';
import { presentGraphQLError } from './errors.ts';
import { limitAnswer, limitReading } from './limits/answer-size.ts';
import { noteSource, type CompiledQueries } from './fast/fast-lane.ts';
import { hasReply, type OpenStreams } from './open-streams.ts';

interface Subscribing {
  log: Services['log'];
  streams: OpenStreams;
  /** Unless the fast lane is off. */
  compiled: CompiledQueries | undefined;
}

/**
 * Runs a subscription. It differs from graphql-js's own in four ways: each event is resolved with its own context, so
 * that nothing cached per request outlives an event; if the source fails, the last response says why; ending reaches the
 * source at once, even while an event is awaited; and a source that ends because the gateway stops or the reader was too
 * slow is cut off, not completed.
 */
export async function subscribe(
  args: ExecutionArgs,
  { log, streams, compiled }: Subscribing,
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  if (!takesEvents(args.contextValue))
    return {
      errors: [
        presentGraphQLError(
          new AppError('E900', {
            status: 406,
            message: 'A subscription is answered with events: accept text/event-stream',
            graphqlCode: 'NOT_ACCEPTABLE',
          }),
        ),
      ],
    };
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source))
    // Over HTTP the status tells that the gateway stops; over WebSocket an error would be final.
    return streams.stopping && !hasReply(args.contextValue) ? untilCut() : source;
  if (source instanceof EventStream) noteSource(args.contextValue, source);
  const events = source[Symbol.asyncIterator]();
  let failed = false;
  let left = false;
  const leave = (): unknown => {
    left = true;
    return events.return?.();
  };
  // Also before anybody reads: Yoga leaves the results alone when a client has gone while they began.
  streams.add(args.contextValue, leave);
  const results: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => results,
    async next() {
      if (failed) return { done: true, value: undefined };
      try {
        const event = await events.next();
        if (event.done) {
          if (left || !(streams.stopping || isResumable(source)))
            return { done: true, value: undefined };
          if (!streams.stopping) streams.cutSoon(args.contextValue);
          return await untilCut();
        }
        const wait = onEvents.take();
        if (wait) await wait;
        const context = args.contextValue as Context;
        const given: ExecutionArgs = {
          schema: args.schema,
          document: args.document,
          operationName: args.operationName,
          variableValues: args.variableValues,
          rootValue: event.value,
          // Events are sent without fragments.
          contextValue: {
            ...context,
            fragments: undefined,
            reads: context.reads.within(limitReading()),
          },
        };
        const run = compiled?.find(given);
        const result = (await (run ? run(given, execute) : execute(given))) as ExecutionResult;
        return { done: false, value: limitAnswer(result) };
      } catch (error) {
        failed = true;
        const shown = presentGraphQLError(error);
        if (shown.originalError instanceof AppError && shown.originalError.code === 'E302')
          log.error({ err: shown.originalError.cause }, 'subscription failed');
        return { done: false, value: { errors: [shown] } };
      }
    },
    async return() {
      await leave();
      return { done: true, value: undefined };
    },
    async throw(error: unknown) {
      await events.return?.();
      throw error;
    },
  };
  return results;
}

/** Over WebSocket, nothing but events is sent. Over HTTP, Yoga adds the request to the context. */
function takesEvents(context: unknown): boolean {
  const { request } = context as Partial<YogaInitialContext>;
  return !request || acceptedTypes(request.headers.get('accept')).events;
}

/** Never resolves: the connection is about to be cut, and what waits is forgotten with it. */
function untilCut(): Promise<never> {
  return new Promise(() => undefined);
}

function isResumable(source: unknown): boolean {
  return source instanceof EventStream && source.resumable;
}
