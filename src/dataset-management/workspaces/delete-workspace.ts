import type { Context } from '../../core/context/context.ts';
import { deleteSoftly } from '../content/delete-softly.ts';
import { forgetWorkspaces, requireWorkspace } from './load-workspace.ts';

/**
 * Deletes a workspace softly: all below is hidden at once and can be brought back for 30 days (D-66). Owners only. Returns the token that undoes it.
 * GraphQL `deleteWorkspace`, REST POST /api/Workspaces/delete. Throws NotFoundError, ForbiddenError.
 */
export async function deleteWorkspace(
  ctx: Context,
  args: { workspaceId: string },
): Promise<string> {
  const { id } = await requireWorkspace(ctx, args.workspaceId, 'own');
  const undoToken = await deleteSoftly(ctx, 'workspace', id);
  forgetWorkspaces(ctx);
  return undoToken;
}
