import type { Database } from '../../core/database/db.ts';

/** Puts a user into exactly these departments; the last mention of a department wins. */
export async function replaceUserDepts(
  { prisma }: Database,
  userId: number,
  depts: readonly { deptId: number; isHome: boolean }[],
): Promise<void> {
  const wanted = [...new Map(depts.map((dept) => [dept.deptId, dept])).values()];
  await prisma.userDept.deleteMany({ where: { userId, NOT: { OR: wanted } } });
  await prisma.userDept.createMany({
    data: wanted.map((dept) => ({ userId, ...dept })),
    skipDuplicates: true,
  });
}
