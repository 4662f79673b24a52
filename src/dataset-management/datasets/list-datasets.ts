import { uuid } from '../../core/sql/types.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import type { ListQuery, ParentSql } from '../../core/lists/list.sql.ts';
import { pagesBelow } from '../../core/lists/pages-below.ts';
import { readBatches } from '../../core/lists/read-list.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { datasetList, type Dataset } from './dataset.ts';

/**
 * Lists the datasets of a workspace, oldest first, in batches: there may be many. REST: GET /api/Datasets. Throws
 * NotFoundError.
 */
export async function* listDatasets(
  ctx: SignedInContext,
  args: { workspaceId: string },
): AsyncGenerator<Dataset[]> {
  await requireWorkspace(ctx, args.workspaceId);
  yield* readBatches(ctx, workspaceDatasets(ctx, args.workspaceId));
}

/** The list to which a new dataset belongs. */
export function workspaceDatasets(ctx: SignedInContext, workspaceId: string): ListQuery<Dataset> {
  return datasetsBelow(ctx, (params) => params.add(uuid, workspaceId));
}

function datasetsBelow({ viewer }: SignedInContext, workspace: ParentSql): ListQuery<Dataset> {
  return datasetList(viewer, { workspace });
}

/** A page of the datasets of a workspace. GraphQL `Workspace.datasets`. */
export const pageDatasets = pagesBelow(datasetsBelow);
