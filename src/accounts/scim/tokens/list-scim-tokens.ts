import { requirePermission } from '../../../auth/guards.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { findScimTokens } from './find-scim-tokens.ts';
import type { ScimToken } from './scim-token.ts';

/** The SCIM tokens of the administrator's domain. GraphQL `viewer.scimTokens`. Throws ForbiddenError. */
export function listScimTokens(ctx: SignedInContext): Promise<ScimToken[]> {
  const { domainId } = requirePermission(ctx, 'DOMAIN_ADMIN');
  return findScimTokens(ctx, { domainId });
}
