import type { Database } from '../../core/database/db.ts';
import { isStorable } from '../../core/text.ts';

/**
 * Replaces the members of a project by the users with these logins; returns the logins that are not in its workspace,
 * and with any changes nothing. Must run in a transaction.
 */
export async function replaceProjectMembers(
  { prisma }: Pick<Database, 'prisma'>,
  project: { id: string; workspaceId: string },
  logins: readonly string[],
): Promise<ReadonlySet<string>> {
  const users = await prisma.user.findMany({
    where: {
      login: { in: logins.filter(isStorable) },
      workspaces: { some: { workspaceId: project.workspaceId } },
    },
    select: { id: true, login: true },
  });
  const known = new Set(users.map(({ login }) => login));
  const unknown = new Set(logins.filter((login) => !known.has(login)));
  if (unknown.size > 0) return unknown;
  const projectId = project.id;
  await prisma.projectMember.deleteMany({
    where: { projectId, userId: { notIn: users.map(({ id }) => id) } },
  });
  await prisma.projectMember.createMany({
    data: users.map(({ id }) => ({ projectId, userId: id })),
    skipDuplicates: true,
  });
  return unknown;
}
