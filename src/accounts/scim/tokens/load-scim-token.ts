import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../../core/context/context.ts';
import { isUuid } from '../../../core/uuid.ts';
import { findScimTokens } from './find-scim-tokens.ts';
import type { ScimToken } from './scim-token.ts';

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, ScimToken | null>(async (ids) => {
      const { domainId } = ctx.viewer;
      const found = await findScimTokens(ctx, { domainId, ids: ids.filter(isUuid) });
      const byId = new Map(found.map((token) => [token.id, token]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The SCIM token with this id if the viewer is an administrator of its domain, else null. GraphQL `node`. */
export async function loadScimToken(ctx: SignedInContext, id: string): Promise<ScimToken | null> {
  return ctx.viewer.permissions.has('DOMAIN_ADMIN') ? loader(ctx).load(id) : null;
}
