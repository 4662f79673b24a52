import DataLoader from 'dataloader';
import { requireViewer } from '../../auth/guards.ts';
import { perRequest, type Context } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { readList } from '../../core/lists/read-list.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { projectList, type Project } from './project.ts';

const loader = perRequest(
  (ctx) =>
    new DataLoader<string, Project | null>(async (ids) => {
      const found = await readList(
        ctx,
        projectList(requireViewer(ctx), (params) => `p.id = ANY (${params.add([...ids])}::uuid[])`),
      );
      const byId = new Map(found.map((project) => [project.id, project]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
);

/** The project if the viewer is a member of its workspace, else null. GraphQL `project`, `node`. */
export async function loadProject(ctx: Context, id: string): Promise<Project | null> {
  requireViewer(ctx);
  return loader(ctx).load(id);
}

/** The same or NotFoundError; with a right that the role lacks, ForbiddenError. */
export async function requireProject(ctx: Context, id: string, right?: 'change'): Promise<Project> {
  const project = await loadProject(ctx, id);
  if (!project) throw new NotFoundError('Project');
  if (right) requireRight(project, right);
  return project;
}
