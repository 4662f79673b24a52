import type { Database } from '../../core/database/db.ts';
import { inGroups } from '../../core/records/in-groups.ts';

/** A user's membership of a department. */
export interface Membership {
  deptId: number;
  isHome: boolean;
}

/**
 * Puts each user into exactly these departments; the last mention of a department wins. One that a directory deleted is
 * there for them again. Returns the users who were in others.
 */
export async function replaceUserDepts(
  { prisma }: Database,
  wanted: ReadonlyMap<number, readonly Membership[]>,
): Promise<ReadonlySet<number>> {
  const missing = new Map(
    [...wanted].map(([userId, memberships]) => [
      userId,
      new Map(memberships.map((membership) => [membership.deptId, membership])),
    ]),
  );
  const gone: { userId: number; deptId: number }[] = [];
  for (const { userId, deptId, isHome } of await prisma.userDept.findMany({
    where: { userId: { in: [...wanted.keys()] } },
  }))
    if (missing.get(userId)?.get(deptId)?.isHome === isHome) missing.get(userId)?.delete(deptId);
    else gone.push({ userId, deptId });
  for (const some of inGroups(gone)) await prisma.userDept.deleteMany({ where: { OR: some } });
  const come = [...missing].flatMap(([userId, memberships]) =>
    [...memberships.values()].map((membership) => ({ userId, ...membership })),
  );
  for (const some of inGroups(come)) {
    await prisma.userDept.createMany({ data: some, skipDuplicates: true });
    const deptIds = [...new Set(some.map(({ deptId }) => deptId))];
    await prisma.dept.updateMany({
      where: { id: { in: deptIds }, NOT: { removedAt: null } },
      data: { removedAt: null },
    });
  }
  return new Set([...gone, ...come].map(({ userId }) => userId));
}
