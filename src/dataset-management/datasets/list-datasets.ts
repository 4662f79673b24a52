import { uuid } from '../../core/sql/types.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { pagesBelow, type ParentSql } from '../../core/lists/pages-below.ts';
import { readList, type ListQuery } from '../../core/lists/read-list.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { datasetList, type Dataset } from './dataset.ts';

/** Lists the datasets of a workspace, oldest first. REST: GET /api/Datasets. Throws NotFoundError. */
export async function listDatasets(
  ctx: SignedInContext,
  args: { workspaceId: string },
): Promise<Dataset[]> {
  await requireWorkspace(ctx, args.workspaceId);
  return readList(ctx, workspaceDatasets(ctx, args.workspaceId));
}

/** The list to which a new dataset belongs. */
export function workspaceDatasets(ctx: SignedInContext, workspaceId: string): ListQuery<Dataset> {
  return datasetsBelow(ctx, (params) => params.add(uuid, workspaceId));
}

function datasetsBelow({ viewer }: SignedInContext, workspace: ParentSql): ListQuery<Dataset> {
  return datasetList(viewer, (params) => `d.workspace_id = ${workspace(params)}`);
}

/** A page of the datasets of a workspace. GraphQL `Workspace.datasets`. */
export const pageDatasets = pagesBelow(datasetsBelow);
