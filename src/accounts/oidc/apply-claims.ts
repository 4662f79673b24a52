import type { Database } from '../../core/database/db.ts';
import { fold } from '../../core/text.ts';
import { replacePermissions } from '../organisation/replace-permissions.ts';
import { replaceUserDepts } from '../organisation/replace-user-depts.ts';
import type { IdentifiedUser } from './find-identity.ts';
import type { ClaimedUser } from './read-claims.ts';

/**
 * Gives a user what the claims say, and no more: names that are no unit, profile or department of the domain count for
 * nothing, since providers have other groups, too. What no rule speaks of stays as it is.
 */
export async function applyClaims(
  db: Database,
  { id: userId, domainId }: IdentifiedUser,
  said: ClaimedUser,
): Promise<void> {
  const { prisma } = db;
  const { displayName, departments, homeDepartments, permissions } = said;
  const named = (names: readonly string[]) => ({
    where: { domainId, nameFold: { in: names.map(fold) } },
    select: { id: true },
  });
  const unitId =
    said.unit == null ? said.unit : ((await prisma.unit.findFirst(named([said.unit])))?.id ?? null);
  const profileId =
    said.profile == null
      ? said.profile
      : ((await prisma.profile.findFirst(named([said.profile])))?.id ?? null);
  const given = {
    ...(displayName !== undefined && { displayName }),
    ...(unitId !== undefined && { unitId }),
    ...(profileId !== undefined && { profileId }),
  };
  const isNews = Object.entries(given).map(([column, value]) => ({ NOT: { [column]: value } }));
  if (isNews.length > 0)
    await prisma.user.updateMany({
      where: {
        id: userId,
        OR: [
          ...isNews,
          ...(unitId != null ? [{ unitId: null }] : []),
          ...(profileId != null ? [{ profileId: null }] : []),
        ],
      },
      data: given,
    });
  if (departments ?? homeDepartments) {
    const found = (names: readonly string[]) => {
      const { where, select } = named(names);
      return prisma.dept.findMany({ where: { ...where, removedAt: null }, select });
    };
    const now = await prisma.userDept.findMany({ where: { userId } });
    const home = homeDepartments
      ? (await found(homeDepartments)).map(({ id }) => id)
      : now.flatMap(({ deptId, isHome }) => (isHome ? [deptId] : []));
    const others = departments
      ? (await found(departments)).map(({ id }) => id)
      : now.flatMap(({ deptId, isHome }) => (isHome ? [] : [deptId]));
    const memberships = [
      ...others.map((deptId) => ({ deptId, isHome: false })),
      ...home.map((deptId) => ({ deptId, isHome: true })),
    ];
    await replaceUserDepts(db, new Map([[userId, memberships]]));
  }
  if (permissions) await replacePermissions(db, 'USER', new Map([[userId, permissions]]));
}
