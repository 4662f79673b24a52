import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { isUuid } from '../../core/uuid.ts';
import type { ApiKey } from './api-key.ts';
import { findApiKeys } from './find-api-keys.ts';

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<string, ApiKey | null>(async (ids) => {
      const { domainId } = ctx.viewer;
      const found = await findApiKeys(ctx, { domainId, ids: ids.filter(isUuid) });
      const byId = new Map(found.map((key) => [key.id, key]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The API key with this id if the viewer is an administrator of its domain, else null. GraphQL `node`. */
export async function loadApiKey(ctx: SignedInContext, id: string): Promise<ApiKey | null> {
  return ctx.viewer.permissions.has('DOMAIN_ADMIN') ? loader(ctx).load(id) : null;
}
