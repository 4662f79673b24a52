import { tellObject } from '../../core/context/act.ts';
import * as z from 'zod';
import type { SignedInContext } from '../../core/context/context.ts';
import {
  withIdempotency,
  type IdempotentAnswer,
  type IdempotentWrite,
} from '../../core/context/with-idempotency.ts';

/** One creation: its operation, idempotency key and request. */
export type Creation = Pick<IdempotentWrite<string>, 'operation' | 'key' | 'request'> & {
  /** Type of what is created, for the audit log. */
  typename?: string;
};

/** The created object, and whether an earlier request with the same key created it. */
export interface Created<T> {
  created: T;
  replayed: boolean;
}

/**
 * Creates a row at most once for each key of the viewer (D-78); `work` writes with its context alone and returns the id.
 * Throws IdempotencyError, ValidationError.
 */
export function createOnce(
  ctx: SignedInContext,
  creation: Creation,
  work: (tx: SignedInContext) => Promise<string>,
): Promise<IdempotentAnswer<string>> {
  return withIdempotency(ctx, creationWrite(ctx, creation), async (tx) => {
    const id = await work(tx);
    if (creation.typename !== undefined) tellObject(ctx, creation.typename, id);
    return id;
  });
}

/** The same as `withIdempotency` takes it. */
export function creationWrite(ctx: SignedInContext, creation: Creation): IdempotentWrite<string> {
  return { ...creation, scope: `user:${ctx.viewer.userId}`, answer: z.uuid() };
}
