import { randomUUID } from 'node:crypto';
import type { SignedInContext } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import type { Dataset } from './dataset.ts';
import { requireDataset } from './load-dataset.ts';

/**
 * Creates a draft dataset. GraphQL `createDataset`, REST POST /api/Datasets/create. Throws ValidationError,
 * NotFoundError, ForbiddenError, IdempotencyError.
 */
export async function createDataset(
  ctx: SignedInContext,
  args: {
    workspaceId: string;
    name: string;
    description: string;
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<Dataset>> {
  const text = checkNaming({ name: args.name, description: args.description });
  const { id: workspaceId } = await requireWorkspace(ctx, args.workspaceId, 'change');
  const { answer, replayed } = await createOnce(
    ctx,
    {
      typename: 'Dataset',
      operation: 'createDataset',
      key: args.idempotencyKey,
      request: { workspaceId, ...text },
    },
    async ({ db }) => {
      const now = new Date(ctx.clock());
      const { id } = await db.prisma.dataset.create({
        data: { id: randomUUID(), workspaceId, ...text, createdAt: now, updatedAt: now },
      });
      return id;
    },
  );
  return { created: await requireDataset(ctx, answer), replayed };
}
