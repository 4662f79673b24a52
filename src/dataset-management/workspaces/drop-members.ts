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
  if (args.userIds.length === 0) return;
  const project = { workspaceId: args.workspaceId };
  const users = { in: [...args.userIds] };
  await db.prisma.projectMember.deleteMany({ where: { project, userId: users } });
  await db.prisma.imageReview.updateMany({
    where: { project, assigneeId: users },
    data: { assigneeId: null },
  });
  await stopJobs(db, args.now, { project, ownerId: users });
}

/** Stops exports and imports; whichever gateway runs one learns that within a second. */
export async function stopJobs(
  { prisma }: Pick<Database, 'prisma'>,
  now: Date,
  of: { projectId: string } | { project: { workspaceId: string }; ownerId: { in: number[] } },
): Promise<void> {
  const jobs = {
    where: { ...of, state: { in: ['QUEUED', 'RUNNING'] } },
    data: { state: 'CANCELLED', finishedAt: now, expiresAt: now },
  };
  await prisma.exportJob.updateMany(jobs);
  await prisma.annotationImport.updateMany(jobs);
}
