import type { SignedInContext } from '../../core/context/context.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { forgetWorkspaces, requireWorkspace } from './load-workspace.ts';

/**
 * Deletes a workspace softly: everything in it is hidden at once and can be restored for 30 days (D-66). Owners only.
 * Returns the token that undoes it. GraphQL `deleteWorkspace`, REST POST /api/Workspaces/delete. Throws NotFoundError,
 * ForbiddenError.
 */
export async function deleteWorkspace(
  ctx: SignedInContext,
  args: { workspaceId: string },
): Promise<string> {
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  const undoToken = await deleteSoftly(ctx, 'workspace', id);
  forgetWorkspaces(ctx);
  return undoToken;
}
