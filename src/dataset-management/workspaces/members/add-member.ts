import { tellAct, tellObject } from '../../../core/context/act.ts';
import type { SignedInContext } from '../../../core/context/context.ts';
import { foldLogin, isStorable } from '../../../core/text.ts';
import { createOnce, type Created } from '../../content/create-once.ts';
import { refusal } from '../../envelope/dataset-errors.ts';
import { requireWorkspace } from '../load-workspace.ts';
import type { WorkspaceRole } from '../workspace.ts';
import { changeMembers } from './change-members.ts';
import { requireMember } from './load-member.ts';
import type { WorkspaceMember } from './member.ts';

/**
 * Makes a user of the viewer's domain a member of a workspace, at once; who does not want to be one leaves with
 * removeMember. Repeating it changes nothing. Owners only. A login of another domain is as unknown as one of nobody.
 * GraphQL `addWorkspaceMember`. Throws ValidationError, NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function addMember(
  ctx: SignedInContext,
  args: {
    workspaceId: string;
    login: string;
    role: WorkspaceRole;
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<WorkspaceMember>> {
  const { id: workspaceId } = await requireWorkspace(ctx, args.workspaceId, 'own');
  const login = foldLogin(args.login);
  const { role } = args;
  tellObject(ctx, 'Workspace', workspaceId);
  const { replayed } = await createOnce(
    ctx,
    {
      operation: 'addWorkspaceMember',
      key: args.idempotencyKey,
      request: { workspaceId, login, role },
    },
    async (outer) => {
      await changeMembers(outer, { workspaceId, own: true }, async ({ db: { prisma } }) => {
        const user = isStorable(login)
          ? await prisma.user.findUnique({
              where: { login, domainId: ctx.viewer.domainId, disabledAt: null },
              select: { id: true },
            })
          : null;
        if (!user)
          throw refusal('VALIDATION_ERROR', 'login', 'no user of your domain has this login');
        tellObject(ctx, 'User', user.id);
        tellAct(ctx, { target: role });
        const key = { workspaceId, userId: user.id };
        const before = await prisma.workspaceMember.findUnique({
          where: { workspaceId_userId: key },
        });
        if (before && before.role !== role)
          throw refusal(
            'VALIDATION_ERROR',
            'login',
            `is a member with the role ${before.role}, which changeWorkspaceMember changes`,
          );
        if (!before) await prisma.workspaceMember.create({ data: { ...key, role } });
      });
      return workspaceId;
    },
  );
  return { created: await requireMember(ctx, { workspaceId, login }), replayed };
}
