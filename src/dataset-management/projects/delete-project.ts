import type { SignedInContext } from '../../core/context/context.ts';
import { inTransaction } from '../../core/context/in-transaction.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { stopJobs } from '../workspaces/drop-members.ts';
import { forgetProjects, requireProject } from './load-project.ts';

/**
 * Deletes a project softly: its annotations are hidden with it, its datasets stay, exports and imports under way stop. It can be
 * brought back for 30 days (D-66). Returns the token that undoes it. GraphQL `deleteProject`. Throws NotFoundError,
 * ForbiddenError.
 */
export async function deleteProject(
  ctx: SignedInContext,
  args: { projectId: string },
): Promise<string> {
  const { id } = await requireProject(ctx, args.projectId, 'change');
  const undoToken = await inTransaction(ctx, async (tx) => {
    const token = await deleteSoftly(tx, 'project', id);
    await stopJobs(tx.db, new Date(ctx.clock()), { projectId: id });
    return token;
  });
  forgetProjects(ctx);
  return undoToken;
}
