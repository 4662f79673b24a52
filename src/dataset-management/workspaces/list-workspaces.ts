import { requireViewer } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { readList, readPage } from '../../core/lists/read-list.ts';
import { workspaceList, type Workspace } from './workspace.ts';

/** Lists the workspaces of the viewer, oldest first. REST: GET /api/Workspaces. */
export function listWorkspaces(ctx: Context): Promise<Workspace[]> {
  return readList(ctx, workspaceList(requireViewer(ctx)));
}

/** A page of them. GraphQL `viewer.workspaces`. */
export function pageWorkspaces(ctx: Context, page: PageRequest): Promise<Connection<Workspace>> {
  return readPage(ctx, workspaceList(requireViewer(ctx)), page);
}
