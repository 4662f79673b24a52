import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { isUuid } from '../../core/uuid.ts';
import type { ApiKey } from './api-key.ts';
import { findApiKeys } from './find-api-keys.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  findApiKeys(ctx, { domainId: ctx.viewer.domainId, ids: ids.filter(isUuid) }),
);

/** The API key with this id if the viewer is an administrator of its domain, else null. GraphQL `node`. */
export async function loadApiKey(ctx: SignedInContext, id: string): Promise<ApiKey | null> {
  return ctx.viewer.permissions.has('DOMAIN_ADMIN') ? loader(ctx).load(id) : null;
}
