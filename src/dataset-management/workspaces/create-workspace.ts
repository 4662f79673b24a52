import { randomUUID } from 'node:crypto';
import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from './load-workspace.ts';
import type { Workspace } from './workspace.ts';

/** Creates a workspace; the viewer becomes its owner. GraphQL `createWorkspace`, REST POST /api/Workspaces/create. Throws ValidationError, IdempotencyError, NotFoundError for a replay of one that is deleted. */
export async function createWorkspace(
  ctx: Context,
  args: { name: string; idempotencyKey?: string | null | undefined },
): Promise<Created<Workspace>> {
  const viewer = requireViewer(ctx);
  const { name } = checkNaming({ name: args.name });
  const { answer, replayed } = await createOnce(
    ctx,
    { operation: 'createWorkspace', key: args.idempotencyKey, request: { name } },
    async (client) => {
      const id = randomUUID();
      await client.query(
        'INSERT INTO workspace (id, domain_id, name, created_at) VALUES ($1, $2, $3, $4)',
        [id, viewer.domainId, name, new Date(ctx.clock())],
      );
      await client.query(
        `INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, 'OWNER')`,
        [id, viewer.userId],
      );
      return id;
    },
  );
  return { created: await requireWorkspace(ctx, answer), replayed };
}
