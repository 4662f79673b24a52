import type { Database } from '../../core/database/db.ts';

/** Puts a user into exactly these departments; the last mention of a department wins. Returns whether they were others. */
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
  return removed.count + added.count > 0;
}
