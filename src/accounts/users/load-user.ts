import DataLoader from 'dataloader';
import { perRequest, type SignedInContext } from '../../core/context/context.ts';
import { readList } from '../../core/lists/read-list.ts';
import { parseUserId } from './decode-user-id.ts';
import { userList, type User } from './user.ts';

const loader = perRequest(
  (ctx: SignedInContext) =>
    new DataLoader<number, User | null>(async (ids) => {
      const found = await readList(ctx, userList({ domainId: ctx.viewer.domainId, ids }));
      const byId = new Map(found.map((user) => [user.id, user]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The user of the administrator's domain with this id, else null; null for everybody else. GraphQL `node`. */
export async function loadUser(ctx: SignedInContext, id: string): Promise<User | null> {
  const userId = parseUserId(id);
  return userId !== undefined && ctx.viewer.permissions.has('DOMAIN_ADMIN')
    ? loader(ctx).load(userId)
    : null;
}
