import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight, workspaceList, type Workspace } from './workspace.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  readList(ctx, workspaceList(ctx.viewer, { ids: ids.filter(isUuid) })),
);

/** The workspace if the viewer is a member of it, else null. GraphQL `workspace`, `node`. */
export function loadWorkspace(ctx: SignedInContext, id: string): Promise<Workspace | null> {
  return loader(ctx).load(id);
}

/** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
export async function requireWorkspace(
  ctx: SignedInContext,
  id: string,
  right?: 'change' | 'own',
): Promise<Workspace> {
  const workspace = await loadWorkspace(ctx, id);
  if (!workspace) throw new NotFoundError('Workspace');
  if (right) requireRight(workspace, right);
  return workspace;
}

/** Forgets what this request read before a write. */
export function forgetWorkspaces(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}
