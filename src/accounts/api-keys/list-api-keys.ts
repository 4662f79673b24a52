import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { ApiKey } from './api-key.ts';
import { findApiKeys } from './find-api-keys.ts';

/** The API keys of the administrator's domain. GraphQL `viewer.apiKeys`. Throws ForbiddenError. */
export function listApiKeys(ctx: SignedInContext): Promise<ApiKey[]> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  return findApiKeys(ctx, { domainId });
}
