import { requireViewer } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { readList, readPage, type ListQuery } from '../../core/lists/read-list.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { datasetList, type Dataset } from './dataset.ts';

/** Lists the datasets of a workspace, oldest first. REST: GET /api/Datasets. Throws NotFoundError. */
export async function listDatasets(
  ctx: Context,
  args: { workspaceId: string },
): Promise<Dataset[]> {
  await requireWorkspace(ctx, args.workspaceId);
  return readList(ctx, workspaceDatasets(ctx, args.workspaceId));
}

/** A page of them. GraphQL `Workspace.datasets`. */
export function pageDatasets(
  ctx: Context,
  args: { workspaceId: string; page: PageRequest },
): Promise<Connection<Dataset>> {
  return readPage(ctx, workspaceDatasets(ctx, args.workspaceId), args.page);
}

/** The list that a new dataset joins. */
export function workspaceDatasets(ctx: Context, workspaceId: string): ListQuery<Dataset> {
  return datasetList(requireViewer(ctx), (params) => `d.workspace_id = ${params.add(workspaceId)}`);
}
