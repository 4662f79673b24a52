import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { createApiKey, type IssuedApiKey } from './create-api-key.ts';

/**
 * Issues an API key to a customer of the administrator's domain; a new customer is created. GraphQL `issueApiKey`.
 * Throws ForbiddenError, ValidationError.
 */
export function issueApiKey(
  ctx: SignedInContext,
  args: { customerId: string; expiresAt?: Date | null | undefined },
): Promise<IssuedApiKey> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  return createApiKey(ctx, { ...args, domainId });
}
