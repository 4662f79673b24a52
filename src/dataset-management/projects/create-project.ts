import { randomUUID } from 'node:crypto';
import { requireViewer } from '../../auth/guards.ts';
import type { Context } from '../../core/context/context.ts';
import { checkNaming } from '../content/check-naming.ts';
import { createOnce, type Created } from '../content/create-once.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { requireProject } from './load-project.ts';
import type { Project } from './project.ts';

/** Creates a draft project; the viewer becomes its first member. GraphQL `createProject`. Throws ValidationError, NotFoundError, ForbiddenError, IdempotencyError. */
export async function createProject(
  ctx: Context,
  args: {
    workspaceId: string;
    name: string;
    description: string;
    idempotencyKey?: string | null | undefined;
  },
): Promise<Created<Project>> {
  const { userId } = requireViewer(ctx);
  const text = checkNaming({ name: args.name, description: args.description });
  const { id: workspaceId } = await requireWorkspace(ctx, args.workspaceId, 'change');
  const { answer, replayed } = await createOnce(
    ctx,
    { operation: 'createProject', key: args.idempotencyKey, request: { workspaceId, ...text } },
    async (client) => {
      const id = randomUUID();
      await client.query(
        'INSERT INTO project (id, workspace_id, name, description, created_at) VALUES ($1, $2, $3, $4, $5)',
        [id, workspaceId, text.name, text.description, new Date(ctx.clock())],
      );
      await client.query('INSERT INTO project_member (project_id, user_id) VALUES ($1, $2)', [
        id,
        userId,
      ]);
      return id;
    },
  );
  return { created: await requireProject(ctx, answer), replayed };
}
