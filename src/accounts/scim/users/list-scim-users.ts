import { requireScimClient } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { conditionOf } from '../protocol/compare.ts';
import { parseFilter } from '../protocol/parse-filter.ts';
import type { ListRequest, Listed } from '../protocol/list-request.ts';
import { userConditions } from './filter-users.ts';
import { scimUserColumns, type ScimUser } from './user-resource.ts';

/** A page of the users of the directory's domain, by id. REST `GET /scim/v2/Users`. Throws E202, invalidFilter. */
export async function listScimUsers(
  ctx: Context,
  { filter, startIndex, count }: ListRequest,
): Promise<Listed<ScimUser>> {
  const { domainId } = requireScimClient(ctx);
  const where = {
    domainId,
    removedAt: null,
    ...(filter !== undefined && { AND: conditionOf(parseFilter(filter), userConditions) }),
  };
  const { user } = ctx.db.prisma;
  const total = await user.count({ where });
  if (count === 0 || startIndex > total) return { total, rows: [] };
  const page = { where, skip: startIndex - 1, take: count };
  const rows = await user.findMany({ ...page, select: scimUserColumns, orderBy: { id: 'asc' } });
  return { total, rows };
}
