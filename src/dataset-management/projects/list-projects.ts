import { uuid } from '../../core/sql/types.ts';
import type { SignedInContext } from '../../core/context/context.ts';
import { datasetList } from '../datasets/dataset.ts';
import type { ListQuery, ParentSql } from '../../core/lists/list.sql.ts';
import { pagesBelow } from '../../core/lists/pages-below.ts';
import { readBatches } from '../../core/lists/read-list.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { projectList, type Project } from './project.ts';

/**
 * Lists the projects of a workspace, oldest first, in batches: there may be many. REST: GET /api/Projects. Throws
 * NotFoundError.
 */
export async function* listProjects(
  ctx: SignedInContext,
  args: { workspaceId: string },
): AsyncGenerator<Project[]> {
  await requireWorkspace(ctx, args.workspaceId);
  yield* readBatches(ctx, workspaceProjects(ctx, args.workspaceId));
}

/** The list to which a new project belongs. */
export function workspaceProjects(ctx: SignedInContext, workspaceId: string): ListQuery<Project> {
  return projectsBelow(ctx, (params) => params.add(uuid, workspaceId));
}

function projectsBelow({ viewer }: SignedInContext, workspace: ParentSql): ListQuery<Project> {
  return projectList(viewer, { workspace });
}

/** A page of the projects of a workspace. GraphQL `Workspace.projects`. */
export const pageProjects = pagesBelow(projectsBelow);

/** A page of the projects that a dataset is assigned to. GraphQL `Dataset.projects`. */
export const pageProjectsOfDataset = pagesBelow(({ viewer }, dataset) =>
  projectList(viewer, { dataset }),
);

/** A page of the datasets that are assigned to a project. GraphQL `Project.datasets`. */
export const pageDatasetsOfProject = pagesBelow(({ viewer }, project) =>
  datasetList(viewer, { project }),
);
