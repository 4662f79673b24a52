import DataLoader from 'dataloader';
import { requireViewer } from '../../auth/guards.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import { requireRight, workspaceList, type Workspace } from './workspace.ts';

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, Workspace | null>(async (ids) => {
      const found = await readList(
        ctx,
        workspaceList(
          requireViewer(ctx),
          (params) => `w.id = ANY (${params.add([...ids])}::uuid[])`,
        ),
      );
      const byId = new Map(found.map((workspace) => [workspace.id, workspace]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The workspace if the viewer is a member of it, else null. GraphQL `workspace`, `node`. */
export async function loadWorkspace(ctx: Context, id: string): Promise<Workspace | null> {
  requireViewer(ctx);
  return loader(ctx).load(id);
}

/** The same or NotFoundError; with a right that the role lacks, ForbiddenError. */
export async function requireWorkspace(
  ctx: Context,
  id: string,
  right?: 'change' | 'own',
): Promise<Workspace> {
  const workspace = await loadWorkspace(ctx, id);
  if (!workspace) throw new NotFoundError('Workspace');
  if (right) requireRight(workspace, right);
  return workspace;
}

/** Forgets what was read before a write of this request. */
export function forgetWorkspaces(ctx: Context): void {
  loader(ctx).clearAll();
}
