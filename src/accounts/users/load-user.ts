import type { SignedInContext } from '../../core/context/context.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { parseRowId } from './decode-user-id.ts';
import { userList, type User } from './user.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly number[]) =>
  readList(ctx, userList({ domainId: ctx.viewer.domainId, ids })),
);

/** The user of the administrator's domain with this id, else null; null for everybody else. GraphQL `node`. */
export async function loadUser(ctx: SignedInContext, id: string): Promise<User | null> {
  const userId = parseRowId(id);
  return userId !== undefined && ctx.viewer.permissions.has('DOMAIN_ADMIN')
    ? loader(ctx).load(userId)
    : null;
}
