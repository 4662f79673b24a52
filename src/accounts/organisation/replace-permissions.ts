import type { Database } from '../../core/database/db.ts';

/** Gives a user or profile exactly these permissions; returns whether it had others. */
export async function replacePermissions(
  { prisma }: Database,
  { subjectType, subjectId }: { subjectType: 'USER' | 'PROFILE'; subjectId: number },
  permissions: readonly string[],
): Promise<boolean> {
  const removed = await prisma.permissionGrant.deleteMany({
    where: { subjectType, subjectId, permission: { notIn: [...permissions] } },
  });
  const added = await prisma.permissionGrant.createMany({
    data: permissions.map((permission) => ({ subjectType, subjectId, permission })),
    skipDuplicates: true,
  });
  return removed.count + added.count > 0;
}
