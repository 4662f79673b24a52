import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { Services } from '../../core/context/context.ts';
import { AppError } from '../../core/errors.ts';
import { presentGraphQLError } from './errors.ts';

/**
 * Runs a subscription. It differs from graphql-js's own in three ways: each event is resolved with its own context, so
 * that nothing cached per request outlives an event; if the source fails, the last response says why; and ending
 * reaches the source at once, even while an event is awaited.
 */
export async function subscribe(
  args: ExecutionArgs,
  log: Services['log'],
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]();
  let failed = false;
  const results: AsyncIterableIterator<ExecutionResult> = {
    [Symbol.asyncIterator]: () => results,
    async next() {
      if (failed) return { done: true, value: undefined };
      try {
        const event = await events.next();
        if (event.done) return { done: true, value: undefined };
        const context: unknown = args.contextValue;
        return {
          done: false,
          value: await execute({
            ...args,
            rootValue: event.value,
            contextValue: { ...(isObject(context) ? context : {}) },
          }),
        };
      } catch (error) {
        failed = true;
        const shown = presentGraphQLError(error);
        if (shown.originalError instanceof AppError && shown.originalError.code === 'E302')
          log.error({ err: shown.originalError.cause }, 'subscription failed');
        return { done: false, value: { errors: [shown] } };
      }
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    async throw(error: unknown) {
      await events.return?.();
      throw error;
    },
  };
  return results;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
