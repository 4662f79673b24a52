import type { SignedInContext } from '../../../core/context/context.ts';
import { loaderById } from '../../../core/lists/load-by-id.ts';
import { isUuid } from '../../../core/uuid.ts';
import { findScimTokens } from './find-scim-tokens.ts';
import type { ScimToken } from './scim-token.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  findScimTokens(ctx, { domainId: ctx.viewer.domainId, ids: ids.filter(isUuid) }),
);

/** The SCIM token with this id if the viewer is an administrator of its domain, else null. GraphQL `node`. */
export async function loadScimToken(ctx: SignedInContext, id: string): Promise<ScimToken | null> {
  return ctx.viewer.permissions.has('DOMAIN_ADMIN') ? loader(ctx).load(id) : null;
}
