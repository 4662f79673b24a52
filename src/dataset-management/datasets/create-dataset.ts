import { randomUUID } from 'node:crypto';
import type { Context } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import type { Dataset } from './dataset.ts';
import { requireDataset } from './load-dataset.ts';

/** Creates a draft dataset. GraphQL `createDataset`, REST POST /api/Datasets/create. Throws ValidationError, NotFoundError, ForbiddenError, IdempotencyError. */
export async function createDataset(
  ctx: Context,
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
    { operation: 'createDataset', key: args.idempotencyKey, request: { workspaceId, ...text } },
    async (client) => {
      const id = randomUUID();
      await client.query(
        'INSERT INTO dataset (id, workspace_id, name, description, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5)',
        [id, workspaceId, text.name, text.description, new Date(ctx.clock())],
      );
      return id;
    },
  );
  return { created: await requireDataset(ctx, answer), replayed };
}
