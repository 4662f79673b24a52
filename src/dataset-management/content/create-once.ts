import type { PoolClient } from 'pg';
import { z } from 'zod';
import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import {
  withIdempotency,
  type IdempotentAnswer,
  type IdempotentWrite,
} from '../../core/context/with-idempotency.ts';

/** One creation: which operation, with which key, and what is asked for. */
export type Creation = Pick<IdempotentWrite<string>, 'operation' | 'key' | 'request'>;

/** What is made, and whether an earlier request with the same key made it. */
export interface Created<T> {
  created: T;
  replayed: boolean;
}

/** Creates a row at most once for each key of the viewer (D-78); `work` writes with its client alone and returns the id. Throws IdempotencyError, ValidationError. */
export function createOnce(
  ctx: Context,
  creation: Creation,
  work: (client: PoolClient) => Promise<string>,
): Promise<IdempotentAnswer<string>> {
  return withIdempotency(ctx, creationWrite(ctx, creation), work);
}

/** The same as `withIdempotency` takes it. */
export function creationWrite(ctx: Context, creation: Creation): IdempotentWrite<string> {
  return { ...creation, scope: `user:${requireViewer(ctx).userId}`, answer: z.uuid() };
}
