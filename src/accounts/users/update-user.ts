import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { changeUser } from './change-user.ts';
import type { User } from './user.ts';
import type { UserInput } from './user-input.ts';

/**
 * Changes a user of the administrator's domain; what is left out stays as it is. GraphQL `updateUser`. Throws
 * ForbiddenError, NotFoundError, ValidationError.
 */
export function updateUser(
  ctx: SignedInContext,
  { userId, ...input }: UserInput & { userId: number },
): Promise<User> {
  return changeUser(ctx, { admin: requirePermission(ctx, 'DOMAIN_ADMIN'), userId, input });
}
