import { randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from './load-workspace.ts';
import type { Workspace } from './workspace.ts';

/**
 * Creates a workspace; the viewer becomes its owner. GraphQL `createWorkspace`, REST POST /api/Workspaces/create.
 * Throws ValidationError, IdempotencyError, NotFoundError for a replay of one that is deleted.
 */
export async function createWorkspace(
  ctx: SignedInContext,
  args: { name: string; idempotencyKey?: string | null | undefined },
): Promise<Created<Workspace>> {
  const { domainId, userId } = ctx.viewer;
  const { name } = checkNaming({ name: args.name });
  const { answer, replayed } = await createOnce(
    ctx,
    {
      typename: 'Workspace',
      operation: 'createWorkspace',
      key: args.idempotencyKey,
      request: { name },
    },
    async ({ db }) => {
      const { id } = await db.prisma.workspace.create({
        data: {
          id: randomUUID(),
          domainId,
          name,
          createdAt: new Date(ctx.clock()),
          members: { create: { userId, role: 'OWNER' } },
        },
      });
      return id;
    },
  );
  return { created: await requireWorkspace(ctx, answer), replayed };
}
