import { inTransaction } from '../../../core/context/in-transaction.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { NotFoundError } from '../../../core/errors.ts';
import { lockWorkspace } from '../../content/content.sql.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { requireRight, roleOf } from '../workspace.ts';

/**
 * Runs a change of the members of a workspace in a transaction, one after the other, so that two owners can't remove each
 * other; the caller has seen the workspace. `own` asks again whether the viewer is an owner, for they may just have
 * stopped being one. Throws NotFoundError, ForbiddenError, and ValidationError when no owner would be left who can sign
 * in.
 */
export function changeMembers<T>(
  ctx: SignedInContext,
  args: { workspaceId: string; own: boolean },
  change: (tx: SignedInContext) => Promise<T>,
): Promise<T> {
  const { workspaceId } = args;
  return inTransaction(ctx, async (tx) => {
    const { workspaceMember } = tx.db.prisma;
    const locked = await lockWorkspace.first(tx.db, { id: workspaceId });
    const viewer = await workspaceMember.findUnique({
      where: { workspaceId_userId: { workspaceId, userId: ctx.viewer.userId } },
    });
    if (!locked || !viewer) throw new NotFoundError('Workspace');
    if (args.own) requireRight({ role: roleOf(viewer.role) }, 'own');
    const result = await change(tx);
    // Others can only leave, also where no owner can sign in any more.
    if (roleOf(viewer.role) !== 'OWNER') return result;
    const owners = await workspaceMember.count({
      where: { workspaceId, role: 'OWNER', user: { disabledAt: null } },
    });
    if (owners === 0)
      throw refusal(
        'VALIDATION_ERROR',
        'login',
        'is the last owner: make another member one first',
      );
    return result;
  });
}
