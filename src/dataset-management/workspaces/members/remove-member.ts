import { tellAct, tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { foldLogin } from '../../../core/text.ts';
import { dropMembers } from '../drop-members.ts';
import { forgetWorkspaces, requireWorkspace } from '../load-workspace.ts';
import { requireRight } from '../workspace.ts';
import { changeMembers } from './change-members.ts';
import { requireMember } from './load-member.ts';
import type { WorkspaceMember } from './member.ts';

/**
 * Removes a member from a workspace, which is then hidden from them: an upload that is not stored yet fails, exports
 * under way stop, archives can no longer be downloaded. What they made stays. Owners may remove everybody, everybody may
 * leave. Returns who was removed. GraphQL `removeWorkspaceMember`. Throws NotFoundError, ForbiddenError, ValidationError
 * for the last owner.
 */
export async function removeMember(
  ctx: SignedInContext,
  args: { workspaceId: string; login: string },
): Promise<WorkspaceMember> {
  const { id: workspaceId, ...workspace } = await requireWorkspace(ctx, args.workspaceId);
  const login = foldLogin(args.login);
  tellObject(ctx, 'Workspace', workspaceId);
  const own = login !== ctx.viewer.login;
  if (own) requireRight(workspace, 'own');
  const removed = await changeMembers(ctx, { workspaceId, own }, async (tx) => {
    const member = await requireMember(tx, { workspaceId, login });
    const { userId } = member;
    tellObject(ctx, 'User', userId);
    tellAct(ctx, { target: member.role });
    await tx.db.prisma.workspaceMember.delete({
      where: { workspaceId_userId: { workspaceId, userId } },
    });
    const now = new Date(ctx.clock());
    await dropMembers(tx.db, { workspaceId, userIds: [userId], now });
    return member;
  });
  forgetWorkspaces(ctx);
  return removed;
}
