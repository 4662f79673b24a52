import type { Database } from '../../core/database/db.ts';
import { inGroups } from '../../core/records/in-groups.ts';

/** Gives each user or profile exactly these permissions; returns those who had others. */
export async function replacePermissions(
  { prisma }: Database,
  subjectType: 'USER' | 'PROFILE',
  wanted: ReadonlyMap<number, readonly string[]>,
): Promise<ReadonlySet<number>> {
  const missing = new Map([...wanted].map(([id, permissions]) => [id, new Set(permissions)]));
  const gone: { subjectId: number; permission: string }[] = [];
  for (const { subjectId, permission } of await prisma.permissionGrant.findMany({
    where: { subjectType, subjectId: { in: [...wanted.keys()] } },
  }))
    if (!missing.get(subjectId)?.delete(permission)) gone.push({ subjectId, permission });
  for (const some of inGroups(gone))
    await prisma.permissionGrant.deleteMany({ where: { subjectType, OR: some } });
  const come = [...missing].flatMap(([subjectId, permissions]) =>
    [...permissions].map((permission) => ({ subjectType, subjectId, permission })),
  );
  for (const some of inGroups(come))
    await prisma.permissionGrant.createMany({ data: some, skipDuplicates: true });
  return new Set([...gone, ...come].map(({ subjectId }) => subjectId));
}
