import type { Database } from '../../core/database/db.ts';
import { isStorable } from '../../core/text.ts';
import { lockProject } from './projects.sql.ts';

/**
 * Replaces the members of a project by the users with these logins; returns whether they were others, and the logins
 * that are not in its workspace: with any changes nothing. Must run in a transaction.
 */
export async function replaceProjectMembers(
  db: Pick<Database, 'prisma' | 'rows'>,
  project: { id: string; workspaceId: string },
  logins: readonly string[],
): Promise<{ unknown: ReadonlySet<string>; changed: boolean }> {
  const { prisma } = db;
  // Of two lists at once, neither would remove whom the other one adds.
  await lockProject.rows(db, { id: project.id });
  const users = await prisma.user.findMany({
    where: {
      login: { in: logins.filter(isStorable) },
      workspaces: { some: { workspaceId: project.workspaceId } },
    },
    select: { id: true, login: true },
  });
  const known = new Set(users.map(({ login }) => login));
  const unknown = new Set(logins.filter((login) => !known.has(login)));
  if (unknown.size > 0) return { unknown, changed: false };
  const projectId = project.id;
  const removed = await prisma.projectMember.deleteMany({
    where: { projectId, userId: { notIn: users.map(({ id }) => id) } },
  });
  const added = await prisma.projectMember.createMany({
    data: users.map(({ id }) => ({ projectId, userId: id })),
    skipDuplicates: true,
  });
  return { unknown, changed: removed.count + added.count > 0 };
}
