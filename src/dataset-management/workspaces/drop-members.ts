import type { Database } from '../../core/database/db.ts';

/**
 * Takes away what users had as members of a workspace: they leave its projects, what is assigned to them is free again,
 * and their exports and imports that are under way stop. What they have uploaded and annotated stays, under their
 * names. Must run in a transaction.
 */
export async function dropMembers(
  db: Pick<Database, 'prisma'>,
  args: { workspaceId: string; userIds: readonly number[]; now: Date },
): Promise<void> {
  const { workspaceId, userIds } = args;
  if (userIds.length === 0) return;
  await db.prisma.projectMember.deleteMany({
    where: { project: { workspaceId }, userId: { in: [...userIds] } },
  });
  await db.prisma.imageReview.updateMany({
    where: { project: { workspaceId }, assigneeId: { in: [...userIds] } },
    data: { assigneeId: null },
  });
  await stopJobs(db, args);
}

/** Stops the exports and imports of users from a workspace; whichever gateway runs one learns that within a second. */
export async function stopJobs(
  { prisma }: Pick<Database, 'prisma'>,
  args: { workspaceId: string; userIds: readonly number[]; now: Date },
): Promise<void> {
  const { workspaceId, userIds, now } = args;
  const jobs = {
    where: {
      project: { workspaceId },
      ownerId: { in: [...userIds] },
      state: { in: ['QUEUED', 'RUNNING'] },
    },
    data: { state: 'CANCELLED', finishedAt: now, expiresAt: now },
  };
  await prisma.exportJob.updateMany(jobs);
  await prisma.annotationImport.updateMany(jobs);
}
