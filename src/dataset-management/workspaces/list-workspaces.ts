import type { Connection } from '../../core/lists/pagination.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { readList, readPage } from '../../core/lists/read-list.ts';
import { workspaceList, type Workspace } from './workspace.ts';

/** Lists the workspaces of the viewer, oldest first. REST: GET /api/Workspaces. */
export function listWorkspaces(ctx: SignedInContext): Promise<Workspace[]> {
  return readList(ctx, workspaceList(ctx.viewer));
}

/** A page of them. GraphQL `viewer.workspaces`. */
export function pageWorkspaces(
  ctx: SignedInContext,
  page: PageRequest,
): Promise<Connection<Workspace>> {
  return readPage(ctx, workspaceList(ctx.viewer), page);
}
