import type { SignedInContext } from '../../core/context/context.ts';
import { NotFoundError } from '../../core/errors.ts';
import { loaderById } from '../../core/lists/load-by-id.ts';
import { readList } from '../../core/lists/read-list.ts';
import { isUuid } from '../../core/uuid.ts';
import { requireRight } from '../workspaces/workspace.ts';
import { projectList, type Project } from './project.ts';

const loader = loaderById((ctx: SignedInContext, ids: readonly string[]) =>
  readList(ctx, projectList(ctx.viewer, { ids: ids.filter(isUuid) })),
);

/** The project if the viewer is a member of its workspace, else null. GraphQL `project`, `node`. */
export function loadProject(ctx: SignedInContext, id: string): Promise<Project | null> {
  return loader(ctx).load(id);
}

/** The same, or NotFoundError; ForbiddenError if the role lacks the given right. */
export async function requireProject(
  ctx: SignedInContext,
  id: string,
  right?: 'change',
): Promise<Project> {
  const project = await loadProject(ctx, id);
  if (!project) throw new NotFoundError('Project');
  if (right) requireRight(project, right);
  return project;
}

/** Forgets what this request read before a write. */
export function forgetProjects(ctx: SignedInContext): void {
  loader(ctx).clearAll();
}
