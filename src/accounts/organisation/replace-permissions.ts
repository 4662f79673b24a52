import type { Database } from '../../core/database/db.ts';

/** Gives a user or profile exactly these permissions. */
export async function replacePermissions(
  { prisma }: Database,
  subjectType: 'USER' | 'PROFILE',
  subjectId: number,
  permissions: readonly string[],
): Promise<void> {
  await prisma.permissionGrant.deleteMany({
    where: { subjectType, subjectId, permission: { notIn: [...permissions] } },
  });
  await prisma.permissionGrant.createMany({
    data: permissions.map((permission) => ({ subjectType, subjectId, permission })),
    skipDuplicates: true,
  });
}
