import { requireViewer } from '../../auth/guards.ts';
import type { Connection } from '../../core/lists/pagination.ts';
import type { Context } from '../../core/context/context.ts';
import type { PageRequest } from '../../core/lists/pagination.ts';
import { datasetList, type Dataset } from '../datasets/dataset.ts';
import { readList, readPage, type ListQuery } from '../../core/lists/read-list.ts';
import { requireWorkspace } from '../workspaces/load-workspace.ts';
import { projectList, type Project } from './project.ts';

/** Lists the projects of a workspace, oldest first. REST: GET /api/Projects. Throws NotFoundError. */
export async function listProjects(
  ctx: Context,
  args: { workspaceId: string },
): Promise<Project[]> {
  await requireWorkspace(ctx, args.workspaceId);
  return readList(ctx, workspaceProjects(ctx, args.workspaceId));
}

/** A page of them. GraphQL `Workspace.projects`. */
export function pageProjects(
  ctx: Context,
  args: { workspaceId: string; page: PageRequest },
): Promise<Connection<Project>> {
  return readPage(ctx, workspaceProjects(ctx, args.workspaceId), args.page);
}

/** The projects that a dataset is assigned to. GraphQL `Dataset.projects`. */
export function pageProjectsOfDataset(
  ctx: Context,
  args: { datasetId: string; page: PageRequest },
): Promise<Connection<Project>> {
  const query = projectList(
    requireViewer(ctx),
    (params) => `pd.dataset_id = ${params.add(args.datasetId)}`,
    'JOIN project_dataset pd ON pd.project_id = p.id',
  );
  return readPage(ctx, query, args.page);
}

/** The datasets that are assigned to a project. GraphQL `Project.datasets`. */
export function pageDatasetsOfProject(
  ctx: Context,
  args: { projectId: string; page: PageRequest },
): Promise<Connection<Dataset>> {
  const query = datasetList(
    requireViewer(ctx),
    (params) => `pd.project_id = ${params.add(args.projectId)}`,
    'JOIN project_dataset pd ON pd.dataset_id = d.id',
  );
  return readPage(ctx, query, args.page);
}

/** The list that a new project joins. */
export function workspaceProjects(ctx: Context, workspaceId: string): ListQuery<Project> {
  return projectList(requireViewer(ctx), (params) => `p.workspace_id = ${params.add(workspaceId)}`);
}
