import { requirePermission } from '../../auth/guards.ts';
import * as z from 'zod';
import type { SignedInContext } from '../../core/context/context.ts';
import { withIdempotency } from '../../core/context/with-idempotency.ts';
import { addUser } from './add-user.ts';
import { readUser } from './read-user.ts';
import type { User } from './user.ts';
import type { NewUserInput } from './user-input.ts';

/**
 * Creates a user of the administrator's domain, without a password. GraphQL `createUser`. Throws ForbiddenError,
 * ValidationError, IdempotencyError.
 */
export async function createUser(
  ctx: SignedInContext,
  { idempotencyKey, ...input }: NewUserInput & { idempotencyKey?: string | null | undefined },
): Promise<{ user: User; replayed: boolean }> {
  const admin = requirePermission(ctx, 'DOMAIN_ADMIN');
  const write = {
    scope: `user:${ctx.viewer.userId}`,
    operation: 'createUser',
    key: idempotencyKey,
    request: input,
    answer: z.object({ userId: z.int() }),
  };
  const { answer, replayed } = await withIdempotency(ctx, write, async (tx) => ({
    userId: await addUser(tx, admin, input),
  }));
  return { user: await readUser(ctx, admin, answer.userId), replayed };
}
