import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { requirePasswords } from './require-passwords.ts';
import { issueOneTimePassword, type OneTimePassword } from './issue-one-time-password.ts';

/**
 * Gives a user of the administrator's domain a password that their next sign-in has to replace; their sessions end.
 * GraphQL `setOneTimePassword`. Throws ForbiddenError, NotFoundError, and 403 where passwords are switched off.
 */
export async function setOneTimePassword(
  ctx: SignedInContext,
  { userId }: { userId: number },
): Promise<OneTimePassword> {
  const admin = requirePermission(ctx, 'DOMAIN_ADMIN');
  requirePasswords(ctx);
  return issueOneTimePassword(ctx, { admin, userId });
}
