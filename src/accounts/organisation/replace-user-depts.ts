import type { Database } from '../../core/database/db.ts';

/**
 * Puts a user into exactly these departments; the last mention of a department wins. One that a directory deleted is
 * there for it again. Returns whether they were others.
 */
export async function replaceUserDepts(
  { prisma }: Database,
  userId: number,
  depts: readonly { deptId: number; isHome: boolean }[],
): Promise<boolean> {
  const wanted = [...new Map(depts.map((dept) => [dept.deptId, dept])).values()];
  const removed = await prisma.userDept.deleteMany({ where: { userId, NOT: { OR: wanted } } });
  const added = await prisma.userDept.createMany({
    data: wanted.map((dept) => ({ userId, ...dept })),
    skipDuplicates: true,
  });
  if (added.count > 0)
    await prisma.dept.updateMany({
      where: { id: { in: wanted.map(({ deptId }) => deptId) }, NOT: { removedAt: null } },
      data: { removedAt: null },
    });
  return removed.count + added.count > 0;
}
