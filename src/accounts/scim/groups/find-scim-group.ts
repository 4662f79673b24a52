import type { Services } from '../../../core/context/context.ts';
import type { ScimClient } from '../../../core/context/customer.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { parseRowId } from '../../users/decode-user-id.ts';
import { scimError } from '../protocol/scim-error.ts';
import { scimGroupColumns, type Member, type ScimGroup } from './group-resource.ts';

/** Most members that one reply shows. */
const MAX_SHOWN = 20_000;

/** The department with this id in the directory's domain, unless it deleted it. Throws NotFoundError, tooMany. */
export async function findScimGroup(
  { db }: Pick<Services, 'db'>,
  { domainId }: Pick<ScimClient, 'domainId'>,
  { id, withMembers }: { id: string; withMembers: boolean },
): Promise<ScimGroup> {
  const found = await db.prisma.dept.findFirst({
    where: { id: parseRowId(id) ?? 0, domainId, removedAt: null },
    select: scimGroupColumns,
  });
  if (!found) throw new NotFoundError('Group');
  const [group = found] = withMembers ? await joinMembers({ db }, [found]) : [];
  return group;
}

/**
 * The departments, ordered by id, with their members; without the last ones where all have too many. Throws tooMany
 * where the first has.
 */
export async function joinMembers(
  { db }: Pick<Services, 'db'>,
  groups: readonly ScimGroup[],
): Promise<ScimGroup[]> {
  const found = await db.prisma.userDept.findMany({
    where: { deptId: { in: groups.map(({ id }) => id) }, user: { removedAt: null } },
    select: { deptId: true, user: { select: { id: true, displayName: true } } },
    orderBy: [{ deptId: 'asc' }, { userId: 'asc' }],
    take: MAX_SHOWN + 1,
  });
  const cutId = found[MAX_SHOWN]?.deptId ?? Infinity;
  const shown = groups.filter(({ id }) => id < cutId);
  if (shown.length < groups.length && shown.length === 0)
    throw scimError(
      'TOO_MANY',
      `The group has more than ${MAX_SHOWN} members: ask with excludedAttributes=members`,
    );
  const members = new Map<number, Member[]>(shown.map(({ id }) => [id, []]));
  for (const { deptId, user } of found) members.get(deptId)?.push(user);
  return shown.map((group) => ({ ...group, members: members.get(group.id) ?? [] }));
}
