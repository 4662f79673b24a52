import { tellAct, tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { foldLogin } from '../../../core/text.ts';
import { stopJobs } from '../drop-members.ts';
import { forgetWorkspaces, requireWorkspace } from '../load-workspace.ts';
import type { WorkspaceRole } from '../workspace.ts';
import { changeMembers } from './change-members.ts';
import { requireMember } from './load-member.ts';
import type { WorkspaceMember } from './member.ts';

/**
 * Gives a member of a workspace another role, which applies to their next request; an owner may step back while another
 * one stays. Owners only. GraphQL `changeWorkspaceMember`. Throws NotFoundError, ForbiddenError, ValidationError for the
 * last owner.
 */
export async function changeMember(
  ctx: SignedInContext,
  args: { workspaceId: string; login: string; role: WorkspaceRole },
): Promise<WorkspaceMember> {
  const { id: workspaceId } = await requireWorkspace(ctx, args.workspaceId, 'own');
  const login = foldLogin(args.login);
  const { role } = args;
  tellObject(ctx, 'Workspace', workspaceId);
  const changed = await changeMembers(ctx, { workspaceId, own: true }, async (tx) => {
    const { userId } = await requireMember(tx, { workspaceId, login });
    tellObject(ctx, 'User', userId);
    tellAct(ctx, { target: role });
    await tx.db.prisma.workspaceMember.update({
      where: { workspaceId_userId: { workspaceId, userId } },
      data: { role },
    });
    if (role === 'ANNOTATOR')
      await stopJobs(tx.db, new Date(ctx.clock()), {
        project: { workspaceId },
        ownerId: { in: [userId] },
      });
    return requireMember(tx, { workspaceId, login });
  });
  forgetWorkspaces(ctx);
  return changed;
}
