import { requireScimClient } from '../../../auth/guards.ts';
import type { Context } from '../../../core/context/context.ts';
import { conditionOf } from '../protocol/compare.ts';
import { parseFilter } from '../protocol/parse-filter.ts';
import type { ListRequest, Listed } from '../protocol/list-request.ts';
import { groupConditions } from './filter-groups.ts';
import { joinMembers } from './find-scim-group.ts';
import { scimGroupColumns, type ScimGroup } from './group-resource.ts';

/**
 * A page of the departments of the directory's domain, by id; a shorter one where they have too many members. REST `GET
 * /scim/v2/Groups`. Throws E202, invalidFilter, tooMany.
 */
export async function listScimGroups(
  ctx: Context,
  { filter, startIndex, count, withMembers }: ListRequest & { withMembers: boolean },
): Promise<Listed<ScimGroup>> {
  const { domainId } = requireScimClient(ctx);
  const where = {
    domainId,
    removedAt: null,
    ...(filter !== undefined && { AND: conditionOf(parseFilter(filter), groupConditions) }),
  };
  const { dept } = ctx.db.prisma;
  const total = await dept.count({ where });
  if (count === 0 || startIndex > total) return { total, rows: [] };
  const page = { where, skip: startIndex - 1, take: count };
  const rows = await dept.findMany({ ...page, select: scimGroupColumns, orderBy: { id: 'asc' } });
  return { total, rows: withMembers ? await joinMembers(ctx, rows) : rows };
}
