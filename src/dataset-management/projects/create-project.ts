import { randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/**
 * Creates a draft project; the viewer becomes its first member. GraphQL `createProject`. Throws ValidationError,
 * NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function createProject(
  ctx: SignedInContext,
  args: {
    workspaceId: string;
    name: string;
    description: string;
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<Project>> {
  const { userId } = ctx.viewer;
  const text = checkNaming({ name: args.name, description: args.description });
  const { id: workspaceId } = await requireWorkspace(ctx, args.workspaceId, 'change');
  const { answer, replayed } = await createOnce(
    ctx,
    {
      typename: 'Project',
      operation: 'createProject',
      key: args.idempotencyKey,
      request: { workspaceId, ...text },
    },
    async ({ db }) => {
      const { id } = await db.prisma.project.create({
        data: {
          id: randomUUID(),
          workspaceId,
          ...text,
          createdAt: new Date(ctx.clock()),
          members: { create: { userId } },
        },
      });
      return id;
    },
  );
  return { created: await requireProject(ctx, answer), replayed };
}
