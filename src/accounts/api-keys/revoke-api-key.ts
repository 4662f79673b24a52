import { requirePermission } from '../../auth/guards.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { ApiKey } from './api-key.ts';
import { decodeGlobalId } from '../../core/global-id.ts';
import { endApiKey } from './end-api-key.ts';

/**
 * Revokes an API key of the administrator's domain at once, named by its global id, its prefix, or its UUID, which
 * `ApiKey.id` once was. GraphQL `revokeApiKey`. Throws ForbiddenError, NotFoundError.
 */
export function revokeApiKey(ctx: SignedInContext, args: { keyId: string }): Promise<ApiKey> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const key = decodeGlobalId('ApiKey', args.keyId) ?? args.keyId;
  return endApiKey(ctx, { key, domainId });
}
