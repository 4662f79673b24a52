import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import { lockProject } from './projects.sql.ts';
import { forgetProjects, requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/**
 * Runs a change of a project or of its classes in a transaction, while nobody annotates in it, and counts its version up
 * if `change` says that there was one. Returns the project as it is then. Throws NotFoundError, ForbiddenError, and
 * ConflictError for another version than expected.
 */
export async function changeProject(
  ctx: SignedInContext,
  args: { projectId: string; expectedVersion?: number | null | undefined },
  change: (tx: SignedInContext, stored: { status: string }) => Promise<boolean>,
): Promise<Project> {
  const { id } = await requireProject(ctx, args.projectId, 'change');
  await inTransaction(ctx, async (tx) => {
    const stored = await lockProject.first(tx.db, { id });
    if (!stored) throw new NotFoundError('Project');
    if (args.expectedVersion != null && args.expectedVersion !== stored.version)
      throw new ConflictError(stored.version);
    if (await change(tx, stored))
      await tx.db.prisma.project.update({ where: { id }, data: { version: { increment: 1 } } });
  });
  forgetProjects(ctx);
  return requireProject(ctx, id);
}
