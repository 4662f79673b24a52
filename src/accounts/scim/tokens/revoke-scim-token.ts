import { requirePermission } from '../../../auth/guards.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { decodeGlobalId } from '../../../core/global-id.ts';
import { endScimToken } from './end-scim-token.ts';
import type { ScimToken } from './scim-token.ts';

/**
 * Revokes a SCIM token of the administrator's domain at once, named by its global id or its prefix. GraphQL
 * `revokeScimToken`. Throws ForbiddenError, NotFoundError.
 */
export async function revokeScimToken(
  ctx: SignedInContext,
  args: { tokenId: string },
): Promise<ScimToken> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  const token = decodeGlobalId('ScimToken', args.tokenId) ?? args.tokenId;
  return endScimToken(ctx, { token, domainId });
}
