import { requirePermission } from '../../../auth/guards.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { createScimToken, type IssuedScimToken } from './create-scim-token.ts';

/** Issues a SCIM token for the administrator's domain. GraphQL `issueScimToken`. Throws ForbiddenError, ValidationError. */
export async function issueScimToken(
  ctx: SignedInContext,
  args: { expiresAt?: Date | null | undefined },
): Promise<IssuedScimToken> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  return createScimToken(ctx, { domainId, expiresAt: args.expiresAt });
}
